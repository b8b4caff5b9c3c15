// Records which tables got row seals in a later version than the first tables. The rows of the first tables have had
// seals ever since the seal key was created. For each later table, a sealed row in `sealed_tables` says that all rows
// of that table have seals now.

import type { Knex } from 'knex';
import type { RowSealer, RowShape } from './row-seals.ts';
import { sealedTablesStore } from './sealed-tables-store.ts';

/** The name under which `sealed_tables` notes that the seals of all tables cover the generations of their rows. */
export const GENERATIONS = 'generations';

/** The name under which `sealed_tables` notes that the seals of all rows with a sealed secret cover the secret too. */
export const SECRETS = 'secrets';

/** Lists the tables that got seals in a later version than the first ones, `GENERATIONS` and `SECRETS`. */
export const LATER_SEALED: readonly string[] = [
	...['format_options', 'jobs', GENERATIONS],
	...[SECRETS, 'portal_totp', 'gateway_credentials'],
];

export const sealedTableNames: RowShape = {
	table: 'sealed_tables',
	id: ['name'],
	columns: ['adopted_at'],
	freshness: { by: 'nothing', because: 'it only says that the rows of a table have seals, which never changes' },
};

/** Notes that every row of these tables has a seal from now on. */
export async function noteSealed(
	transaction: Knex.Transaction,
	sealer: Pick<RowSealer, 'seal'>,
	names: readonly string[],
	at: number,
): Promise<void> {
	const store = sealedTablesStore(transaction);
	for (const name of names) {
		const row = { name, adopted_at: at };
		await store.put({ ...row, ...sealer.seal(sealedTableNames, row) });
	}
}

/**
 * Lists the tables of `LATER_SEALED` for which no valid row records that they have seals: the row is missing, or it was
 * not sealed with our key.
 */
export async function listUnsealed(knex: Knex, sealer: Pick<RowSealer, 'isIntact'>): Promise<string[]> {
	const rows = await sealedTablesStore(knex).list();
	const known = rows.filter((row) => sealer.isIntact(sealedTableNames, row)).map(({ name }) => name);
	return LATER_SEALED.filter((name) => !known.includes(name));
}
