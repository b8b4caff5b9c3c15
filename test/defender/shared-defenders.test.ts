import test from 'ava';
import { defaultDefenderSettings } from '../../src/base/defender/defender.ts';
import { connectedSiblings } from '../helpers/connected-siblings.ts';
import { databases } from '../helpers/database.ts';
import { ADDRESS, doors, fail, start } from './shared-defenders.setup.ts';

test('the events of an address at two daemons are counted together', async (t) => {
	const { open } = await start(t, 'postgres');
	const [one, other] = [await open(), await open()];
	fail(one.sftp, 10);
	fail(other.sftp, 10);
	await one.beat();
	t.false(one.sftp.isBanned(ADDRESS));
	await other.beat();
	t.true(other.sftp.isBanned(ADDRESS), 'the sum shows who adds to it last');
	await one.beat();
	t.true(one.sftp.isBanned(ADDRESS));
});

test('processes of one daemon count together at once, and each event once', async (t) => {
	const { open, store } = await start(t, 'postgres');
	const ends = connectedSiblings(2);
	const [one, other] = [await open({ siblings: ends[0] }), await open({ siblings: ends[1] })];
	fail(one.sftp, 9);
	fail(other.sftp, 1);
	await other.beat();
	t.deepEqual(await store.listBans(0), [], 'only one of them has written its part');
	fail(other.sftp, 9);
	t.false(one.sftp.isBanned(ADDRESS) || other.sftp.isBanned(ADDRESS));
	fail(one.sftp, 1);
	t.true(one.sftp.isBanned(ADDRESS) && other.sftp.isBanned(ADDRESS), 'what was not written yet counts, too');
	for (const each of [one, other]) await each.beat();
	t.is((await store.listBans(0)).length, 1);
});

for (const dialect of databases) {
	test(`${dialect}: scores and bans outlive the daemon`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const first = await open();
		fail(first.sftp, 20);
		fail(first.sftp, 19, '192.0.2.2');
		await first.close();
		const second = await open();
		t.true(second.sftp.isBanned(ADDRESS));
		fail(second.sftp, 1, '192.0.2.2');
		t.false(second.sftp.isBanned('192.0.2.2'));
		await second.beat();
		t.true(second.sftp.isBanned('192.0.2.2'));
		clock.turn(defaultDefenderSettings.banMs - 1);
		t.true((await open()).sftp.isBanned(ADDRESS));
		clock.turn(1);
		t.false((await open()).sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: a ban ends, and the address starts anew`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const { sftp, beat } = await open({ doors: { ...doors, sftp: { ...defaultDefenderSettings, banMs: 1000 } } });
		fail(sftp, 20);
		await beat();
		t.true(sftp.isBanned(ADDRESS));
		clock.turn(1000);
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 19);
		await beat();
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 1);
		t.true(sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: what happened longer ago than the window counts no more`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const { sftp, beat } = await open();
		for (let turn = 0; turn < 4; turn += 1) {
			fail(sftp, 9);
			await beat();
			clock.turn(defaultDefenderSettings.windowMs);
		}
		t.false(sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: while the database is away each daemon goes on with its own, says so once, and tells it later`, async (t) => {
		const { open, database, log, store } = await start(t, dialect);
		const { sftp, beat } = await open();
		await database.knex.schema.renameTable('defender_scores', 'away');
		fail(sftp, 19, '192.0.2.2');
		await beat();
		fail(sftp, 20);
		t.true(sftp.isBanned(ADDRESS));
		t.false(sftp.isBanned('192.0.2.2'));
		await beat();
		await beat();
		t.true(sftp.isBanned(ADDRESS));
		t.deepEqual(log, ['scores of addresses cannot be shared: this daemon goes on with its own']);
		await database.knex.schema.renameTable('away', 'defender_scores');
		await beat();
		t.deepEqual(log.slice(1), ['addresses were banned', 'scores of addresses are shared again']);
		t.deepEqual(
			(await store.findDecisions(0, 9)).map(({ address }) => address),
			[ADDRESS],
		);
		const { sftp: restarted, ...second } = await open();
		t.true(restarted.isBanned(ADDRESS));
		fail(restarted, 1, '192.0.2.2');
		await second.beat();
		t.true(restarted.isBanned('192.0.2.2'));
	});

	test(`${dialect}: a ban that is lifted ends at daemons that know it, and a new one stands`, async (t) => {
		const { open, clock, store } = await start(t, dialect);
		const { sftp, beat } = await open();
		fail(sftp, 20);
		await beat();
		clock.turn(10);
		t.deepEqual(await store.lift(ADDRESS, clock.now().getTime()), ['sftp']);
		t.deepEqual(await store.lift(ADDRESS, clock.now().getTime()), []);
		await beat();
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 19);
		await beat();
		t.false(sftp.isBanned(ADDRESS), 'it starts anew');
		clock.turn(10);
		fail(sftp, 1);
		await beat();
		await beat();
		t.true(sftp.isBanned(ADDRESS));
	});
}

test('a flood of addresses is told in pieces, bans first, and forgotten from the oldest', async (t) => {
	const { open, database, queries } = await start(t, 'sqlite');
	const { sftp, beat } = await open({ doors: { ...doors, sftp: { ...defaultDefenderSettings, maxAddresses: 1200 } } });
	for (let index = 0; index < 2000; index += 1) fail(sftp, 1, `10.0.${index >> 8}.${index & 255}`);
	fail(sftp, 20);
	const rows = async () => Number((await database.knex('defender_scores').count('* as rows').first())?.rows);
	queries.length = 0;
	await beat();
	t.is(queries.length, 2, 'one statement to tell, one to hear');
	t.is(await rows(), 500);
	t.truthy(await database.knex('defender_scores').where({ address: ADDRESS }).first());
	for (let turn = 0; turn < 5; turn += 1) await beat();
	t.is(await rows(), 1200);
});
