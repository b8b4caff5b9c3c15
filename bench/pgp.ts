// Measures OpenPGP: a message of 100 MB is decrypted, tokenized and encrypted, beside what the library and the engine take
// for the same by themselves.

import { join } from 'node:path';
import { runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { FILE_BYTES, runOnce } from './files.ts';
import { generate } from './generate.ts';
import type { PgpOnce, PgpOnceResult } from './pgp-once.ts';
import type { BenchRow } from './table.ts';

const RUNS = runs(3);

/** Returns the row of the processor time. */
export async function pgpRows(folder: string): Promise<BenchRow[]> {
	const file = generate('SIMPLECSV', join(folder, 'clear.csv'), FILE_BYTES).path;
	const once = (kind: PgpOnce['kind']): PgpOnceResult =>
		runOnce('./pgp-once.ts', { kind, folder, file } satisfies PgpOnce);
	once('prepare');
	const rounds = Array.from({ length: RUNS }, () => {
		const [library, engine, whole] = [once('library'), once('engine'), once('whole')];
		return { library, engine, whole };
	});
	const ratios = rounds.map(
		({ library, engine, whole }) => whole.processorSeconds / (library.processorSeconds + engine.processorSeconds),
	);
	const seconds = (kind: 'library' | 'engine' | 'whole') =>
		median(rounds.map((round) => round[kind].processorSeconds)).toFixed(1);
	const peaks = rounds.map(({ whole }) => whole.peakMb);
	return [
		{
			what: 'OpenPGP: decrypt, tokenize and encrypt 100 MB, processor time beside the library and the engine alone',
			result: `${median(ratios).toFixed(2)} times (${seconds('whole')} s beside ${seconds('library')} s and ${seconds('engine')} s)`,
			target: 'at most 1.5 times, aim 1.1',
			figures: [
				figure('pgp/beside-alone', 'times', ratios, { must: 1.5, aim: 1.1, larger: 'worse' }),
				figure('pgp/memory', 'MB', peaks),
			],
		},
	];
}
