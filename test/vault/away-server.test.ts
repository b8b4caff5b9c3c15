// A cluster's coordinator refuses a page whose server is away. A trigger does so here, on a PostgreSQL without a cluster.

import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { CITUS_URL } from '../helpers/citus-url.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const card = { number: new CardNumber('4111111111111111'), expiry: 203012, type: 19 };

/** Refuses the pages that fulfil a condition, with the code of a connection that failed. */
async function refusePages({ database: { knex } }: VaultParts, condition: string): Promise<void> {
	await knex.raw(`create function refuse() returns trigger language plpgsql as $$ begin
		raise exception 'connection to the remote node failed' using errcode = '08006'; end $$`);
	await knex.raw(
		`create trigger refuse before insert on pages for each row when (${condition}) execute function refuse()`,
	);
}

const store = ({ vault }: VaultParts) => vault.store({ accountId: OWNER, creatorId: OWNER, card });

// Citus allows no triggers on tables that it spreads.
const onPlain = CITUS_URL === undefined ? test : test.skip;

if (databases.includes('postgres')) {
	onPlain('postgres: cards go to pages of servers that answer', async (t) => {
		const parts = await openVaultParts(t, 'postgres');
		await refusePages(parts, 'new.id % 4 <> 0');
		const tokens = [];
		for (let n = 0; n < 5; n++) tokens.push((await store(parts)).token);
		const pages: number[] = await parts.database.knex('pages').orderBy('id').pluck('id');
		t.is(pages.length, tokens.length);
		t.true(pages.every((id) => id % 4 === 0));
		for (const token of tokens) t.truthy(await parts.vault.find(OWNER, token));
	});

	onPlain(
		'postgres: where no server of a page answers the call fails, and the next one is stored once they do',
		async (t) => {
			const parts = await openVaultParts(t, 'postgres');
			await refusePages(parts, 'true');
			await t.throwsAsync(store(parts), { code: '08006' });
			t.deepEqual(await parts.database.knex('pages'), []);
			await parts.database.knex.raw('drop trigger refuse on pages');
			t.truthy(await parts.vault.find(OWNER, (await store(parts)).token));
		},
	);
}
