// A database whose content was moved to another one is not opened any more: two that go on would both be wrong.

import type { Knex } from 'knex';

/** @throws Error if everything was moved to another database, which it names */
export async function requireNotMoved(knex: Knex): Promise<void> {
	const row = await knex('installation').first('moved_to');
	if (!row?.moved_to) return;
	throw new Error(
		`everything in this database was moved to ${row.moved_to}: name that one in databaseUrl. To come back to a ` +
			'database of this kind, move the other way, into a new one',
	);
}

/** Notes that everything was moved. `to` is shown to people and has no password. */
export async function noteMoved(knex: Knex, to: string): Promise<void> {
	await knex('installation').update({ moved_to: to });
}
