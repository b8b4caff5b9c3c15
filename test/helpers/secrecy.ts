// Looks for card data where there must be none, in every spelling that a leak could have.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Database } from '../../src/base/database/open.ts';
import type { FixtureCase } from './fixture-cases.ts';

/** The secrets that must not be found anywhere. */
export interface Secrets {
	/** The digits of the secret, without anything else. */
	readonly numbers: readonly string[];
	/** The exact bytes: numbers in unusual spellings, and CVVs with the text around them. */
	readonly passages: readonly Passage[];
}

interface Passage {
	readonly bytes: Buffer;
	readonly label: string;
}

export interface Leak {
	/** Where the secret was found: a file, a table and column, or a name that the caller gave. */
	readonly where: string;
	readonly offset: number;
	/** The spelling and the last four digits, or the fixture it is from, which is enough to find it. */
	readonly what: string;
}

const CVV_CONTEXT_BYTES = 10;

/** Returns every number and CVV of the fixtures, including those that are refused. */
export function fixtureSecrets(cases: readonly FixtureCase[]): Secrets {
	const readme = readFileSync(new URL('../../fixtures/README.md', import.meta.url), 'utf8');
	const numbers = new Set(readme.match(/\b\d{13,19}\b/g));
	const passages: Passage[] = [];
	for (const { filter, name, bytes, spans } of cases) {
		for (const { kind, raw, offset, length, pan } of spans) {
			const label = `${filter}/${name} at ${offset}`;
			if (kind === 'cvv') passages.push({ bytes: around(bytes, offset, length), label: `CVV of ${label}` });
			if (pan !== undefined) numbers.add(pan);
			// These are character references and escapes, which a search for digits would not find.
			if (pan !== undefined && !raw.includes(pan)) passages.push({ bytes: Buffer.from(raw, 'latin1'), label });
			const digits = raw.replace(/\D/g, '');
			if (kind === 'leave' && /^\d{13,19}$/.test(digits) && !/[*xX]/.test(raw)) numbers.add(digits);
		}
	}
	return { numbers: [...numbers].filter((number) => new Set(number).size > 1), passages };
}

function around(bytes: Buffer, offset: number, length: number): Buffer {
	return bytes.subarray(Math.max(0, offset - CVV_CONTEXT_BYTES), offset + length + 2);
}

/** Matches 13 or more digits with single separators between them; a number may begin anywhere inside. */
const DIGIT_RUN = /\d(?:[ \-_./,:;|\t]?\d){12,}/g;

interface Reading {
	readonly form: string;
	readonly pattern: RegExp;
	/** Returns the digits of a match in clear. */
	read(match: string): string[];
}

const READINGS: readonly Reading[] = [
	{ form: 'digits', pattern: DIGIT_RUN, read: (match) => [match] },
	{ form: 'UTF-16', pattern: /(?:\d\0[ -]?\0?){12,}\d/g, read: (match) => [match.replaceAll('\0', '')] },
	{
		form: 'hexadecimal',
		pattern: /(?:3\d|2[0d]){13,}/gi,
		read: (match) => [Buffer.from(match, 'hex').toString('latin1')],
	},
	{ form: 'base64', pattern: /[\w+/-]{18,}/g, read: decodeEveryWay },
];

/** Decodes base64 from four starting points, because a number may begin at any character of a match. */
function decodeEveryWay(text: string): string[] {
	return [0, 1, 2, 3].map((start) => Buffer.from(text.slice(start), 'base64').toString('latin1'));
}

/** Returns every place in `bytes` that holds one of the secrets. */
export function findLeaks(where: string, bytes: Buffer, { numbers, passages }: Secrets): Leak[] {
	const leaks: Leak[] = [];
	const text = bytes.toString('latin1');
	for (const { form, pattern, read } of READINGS) {
		for (const match of text.matchAll(pattern)) {
			for (const clear of read(match[0])) {
				const number = findNumber(clear, numbers);
				if (number) leaks.push({ where, offset: match.index, what: `${form}, …${number.slice(-4)}` });
			}
		}
	}
	for (const passage of passages) {
		const offset = bytes.indexOf(passage.bytes);
		if (offset >= 0) leaks.push({ where, offset, what: passage.label });
	}
	return leaks;
}

function findNumber(clear: string, numbers: readonly string[]): string | undefined {
	for (const [run] of clear.matchAll(DIGIT_RUN)) {
		const digits = run.replace(/\D/g, '');
		const found = numbers.find((number) => digits.includes(number));
		if (found) return found;
	}
	return undefined;
}

/** Looks for secrets in every file below a folder, and in its name. A database and its log are files like others. */
export function sweepFolder(folder: string, secrets: Secrets): { leaks: Leak[]; files: number } {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	const leaks = entries.flatMap(({ parentPath, name }) => {
		const path = join(parentPath, name);
		return [
			...findLeaks(relative(folder, path), readFileSync(path), secrets),
			...findLeaks('a file name', Buffer.from(path), secrets),
		];
	});
	return { leaks, files: entries.length };
}

/** Looks for secrets in every value of every row of every table. */
export async function sweepTables(
	{ knex, dialect }: Database,
	secrets: Secrets,
): Promise<{ leaks: Leak[]; rows: number }> {
	const tables: string[] =
		dialect === 'postgres'
			? await knex('pg_tables').where({ schemaname: 'public' }).pluck('tablename')
			: await knex('sqlite_master').where({ type: 'table' }).pluck('name');
	const leaks: Leak[] = [];
	let rows = 0;
	for (const table of tables) {
		for (const row of await knex(table).select('*')) {
			rows += 1;
			for (const [column, value] of Object.entries(row as Record<string, unknown>)) {
				if (value === null) continue;
				const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
				leaks.push(...findLeaks(`${table}.${column}`, bytes, secrets));
			}
		}
	}
	return { leaks, rows };
}
