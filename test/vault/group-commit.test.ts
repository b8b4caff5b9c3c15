import test from 'ava';
import { CardNumber } from '../../src/card/card-number.ts';
import type { AccountId } from '../../src/database/ids.ts';
import { sqlitePartsOf } from '../../src/database/sqlite-client.ts';
import { until } from '../helpers/until.ts';
import { openVaultRooms } from '../helpers/vault-rooms.ts';

const OWNER = 1 as AccountId;
const card = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

test('cards are committed while others are made durable, and no token is given out before its card is durable', async (t) => {
	const { database, vault } = await openVaultRooms(t);
	const store = () => vault.store({ accountId: OWNER, creatorId: OWNER, card });
	await store();
	const { walSync } = sqlitePartsOf(database.knex.client)!;
	let release = () => {};
	const disk = new Promise<void>((resolve) => {
		release = resolve;
	});
	walSync.sync = () => disk;
	const answered: string[] = [];
	const pages = async () => Number((await database.knex('pages').count({ n: '*' }).first())?.n);
	const first = store().then(({ token }) => answered.push(token));
	await until('the first commit', async () => (await pages()) === 2);
	const second = store().then(({ token }) => answered.push(token));
	await until('the second commit', async () => (await pages()) === 3);
	t.deepEqual(answered, []);
	release();
	await Promise.all([first, second]);
	t.is(new Set(answered).size, 2);
});

test('when the disk fails, whoever waits for it is told, and later cards are stored', async (t) => {
	const { database, vault } = await openVaultRooms(t);
	const store = () => vault.store({ accountId: OWNER, creatorId: OWNER, card });
	await store();
	const { walSync } = sqlitePartsOf(database.knex.client)!;
	const sync = walSync.sync.bind(walSync);
	walSync.sync = () => Promise.reject(Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }));
	const failed = await Promise.allSettled([store(), store()]);
	t.deepEqual(
		failed.map(({ status }) => status),
		['rejected', 'rejected'],
	);
	walSync.sync = sync;
	await t.notThrowsAsync(store());
});
