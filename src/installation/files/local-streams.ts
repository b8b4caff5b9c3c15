// The two ends of a file that a command takes or gives: a path, or - for standard input and standard output.

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readPieces } from '../../engine/file-source.ts';
import { STANDARD_INPUT, STANDARD_OUTPUT } from '../frame/command.ts';
import type { Interruption } from '../frame/interruption.ts';
import { toStandardOutput } from '../frame/output.ts';

export function openInput(path: string, pieceBytes: number): AsyncIterable<Buffer> {
	return path === STANDARD_INPUT ? process.stdin : readPieces(path, pieceBytes);
}

/** Returns the name under which reports and the trail know a file. */
export function nameOfInput(path: string): string {
	return path === STANDARD_INPUT ? 'standard input' : basename(path);
}

/** Opens a file that gets its name when it is whole. What goes to standard output is gone as it is written. */
export async function openOutput(path: string, interruption: Pick<Interruption, 'partial'>) {
	if (path === STANDARD_OUTPUT) {
		const nothing = async () => {};
		return { write: toStandardOutput, sync: nothing, settle: nothing, discard: nothing, close: nothing };
	}
	const aside = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
	const isWhole = interruption.partial(aside);
	const file = await open(aside, 'wx', 0o600);
	return {
		write: (bytes: Uint8Array) => file.writeFile(bytes),
		sync: () => file.sync(),
		async settle(): Promise<void> {
			await rename(aside, path);
			isWhole();
		},
		discard: () => rm(aside, { force: true }),
		close: () => file.close(),
	};
}
