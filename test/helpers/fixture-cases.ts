import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Describes one span of `expected.json`, see `fixtures/README.md`. */
export interface FixtureSpan {
	readonly offset: number;
	readonly length: number;
	/** The bytes of the span, read as Latin-1. */
	readonly raw: string;
	readonly kind: 'tokenize' | 'cvv' | 'leave';
	readonly pan?: string;
	readonly exp?: string;
	readonly code?: string;
	readonly cvv?: string;
	readonly why?: string;
	readonly rule?: string;
}

/** Says where and why a file is refused as a whole. `message` is a part of the error's text. */
export interface FixtureError {
	readonly offset: number;
	readonly line?: number;
	readonly record?: number;
	readonly message: string;
}

export interface FixtureCase {
	readonly filter: string;
	/** The name of the folder, such as `01-basic`. */
	readonly name: string;
	readonly note: string;
	readonly bytes: Buffer;
	/** The options as a user would write them; they are checked by `Format.options.parse`. */
	readonly config: Record<string, unknown>;
	readonly spans: readonly FixtureSpan[];
	readonly error?: FixtureError;
}

const ROOT = new URL('../../fixtures/', import.meta.url);

/** Returns every case under `fixtures/<filter>/`, by name. Each is checked against its own digest and raw texts. */
export function fixtureCases(filter: string): FixtureCase[] {
	const folder = new URL(`${filter}/`, ROOT);
	const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
	return names.map((entry) => loadCase(filter, entry.name, new URL(`${entry.name}/`, folder))).sort(byName);
}

function loadCase(filter: string, name: string, folder: URL): FixtureCase {
	const input = readdirSync(folder).find((file) => file.startsWith('input.'));
	if (input === undefined) throw new Error(`fixture ${filter}/${name} has no input.*`);
	const bytes = readFileSync(new URL(input, folder));
	const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8'));
	const digest = createHash('sha256').update(bytes).digest('hex');
	if (digest !== expected.sha256) throw new Error(`fixture ${filter}/${name}: sha256 of the input is ${digest}`);
	const spans: FixtureSpan[] = expected.spans ?? [];
	for (const { offset, length, raw } of spans) {
		if (bytes.toString('latin1', offset, offset + length) !== raw) {
			throw new Error(`fixture ${filter}/${name}: the span at ${offset} does not hold its raw text`);
		}
	}
	const { note = '', config = {}, error } = expected;
	return { filter, name, note, bytes, config, spans, error };
}

function byName(a: FixtureCase, b: FixtureCase): number {
	return a.name < b.name ? -1 : 1;
}
