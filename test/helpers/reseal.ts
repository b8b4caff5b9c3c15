// Changes rows that carry a seal and seals them anew, as a daemon would.

import type { Knex } from 'knex';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import type { RowShape } from '../../src/base/keys/rows/row-seals.ts';

export async function changeSealed(
	{ database, keyRing }: { readonly database: { readonly knex: Knex }; readonly keyRing: KeyRing },
	shape: RowShape,
	where: Readonly<Record<string, unknown>>,
	changed: Readonly<Record<string, unknown>>,
): Promise<void> {
	const { knex } = database;
	const sealer = await keyRing.seals.sealer();
	for (const row of await knex(shape.table).where(where)) {
		const own = Object.fromEntries(shape.id.map((column) => [column, row[column]]));
		await knex(shape.table)
			.where(own)
			.update({ ...changed, ...sealer.seal(shape, { ...row, ...changed }) });
	}
}
