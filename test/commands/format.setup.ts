import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

/** Returns the path of an example of a plugin or of its samples. */
export const example = (name: string) => fileURLToPath(new URL(`../../examples/formats/${name}`, import.meta.url));
export const MIR = example('galileo-mir.mjs');
export const SAMPLES = example('samples/galileo-mir');

/** Makes a folder that is removed with the test. */
export function folder(t: ExecutionContext): string {
	const path = mkdtempSync(join(tmpdir(), 'tokendrop-plugin-'));
	t.teardown(() => rmSync(path, { recursive: true, force: true }));
	return path;
}
