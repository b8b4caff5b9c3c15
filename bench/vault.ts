// Measures a vault that goes to another installation: an export, encrypted for an OpenPGP key, and its import there.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { runOnce } from './files.ts';
import type { BenchRow } from './table.ts';
import type { VaultOnce, VaultOnceResult } from './vault-once.ts';

const CARDS = amount('BENCH_CARDS', 1_000_000);
/** What an import of any length may take: more cards take more time, and no more memory. */
const MOST_MB = 600;

/** Returns the rows of the rates and of the memory. */
export async function vaultRows(folder: string): Promise<BenchRow[]> {
	const once = (kind: VaultOnce['kind']): VaultOnceResult =>
		runOnce('./vault-once.ts', { kind, folder, cards: CARDS } satisfies VaultOnce);
	once('fill');
	const rows = (['export', 'import'] as const).map((kind): BenchRow => {
		const { seconds, peakMb } = once(kind);
		const rate = CARDS / seconds;
		return {
			what: `vault ${kind}, ${CARDS.toLocaleString('en')} cards`,
			result: `${rate.toFixed(0)} cards/s, ${peakMb.toFixed(0)} MB`,
			target: `memory that does not grow with the cards, under ${MOST_MB} MB`,
			figures: [
				figure(`vault/${kind}`, 'cards/s', rate),
				figure(`vault/${kind} memory`, 'MB', peakMb, { must: MOST_MB, larger: 'worse' }),
			],
		};
	});
	for (const name of ['here.sqlite', 'there.sqlite', 'vault.pgp']) rmSync(join(folder, name), { force: true });
	return rows;
}
