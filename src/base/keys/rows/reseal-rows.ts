import type { Knex } from 'knex';
import type { KeyRing } from '../key-ring.ts';
import type { RowShape } from './row-seals.ts';
import { rowSealsStore, type SealableRow } from './row-seals-store.ts';

const ROWS_PER_STEP = 64;

/**
 * Gives rows sealed under older keys a seal under the current one, and yields the number of rows of each step. A row
 * that does not match its seal, or changes meanwhile, is left as it is. The generator may be stopped at any step and
 * started again.
 */
export async function* resealShape(
	{ database: { knex }, keyRing }: { readonly database: { readonly knex: Knex }; readonly keyRing: KeyRing },
	shape: RowShape,
	besideOf: (row: SealableRow) => Promise<string | undefined>,
): AsyncGenerator<number> {
	const store = rowSealsStore(knex, shape);
	keyRing.seals.forgetKeys();
	const current = (await keyRing.all('seal'))[0].id;
	let last: SealableRow | undefined;
	for (;;) {
		const found = await keyRing.seals.withSealer(async (sealer) => {
			const rows = await store.listAfter(last, ROWS_PER_STEP, current);
			const sealed: { readonly row: SealableRow; readonly seal: ReturnType<typeof sealer.seal> | undefined }[] = [];
			for (const row of rows) {
				const beside = await besideOf(row);
				const seal = sealer.isIntact(shape, row, { beside }) ? sealer.seal(shape, row, beside) : undefined;
				sealed.push({ row, seal });
			}
			return sealed;
		});
		if (found.length === 0) return;
		let count = 0;
		for (const { row, seal } of found) if (seal && (await store.replace(row, seal))) count += 1;
		yield count;
		last = found.at(-1)!.row;
	}
}
