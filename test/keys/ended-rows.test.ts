// The register of ended rows, over two daemons with clocks and data directories of their own.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { openBegunKeyRing } from '../helpers/begun-database.ts';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { until } from '../helpers/until.ts';

const SHOP = 'https://shop.example';
const BY = 'operator test';
const DAY_MS = 24 * 3_600_000;

async function open(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	const { account } = await createAccount(parts, 'agency');
	/** Opens another daemon, whose clock is ahead or behind by some milliseconds. */
	const openDaemon = async ({ aheadMs = 0, endedFile }: { aheadMs?: number; endedFile?: string } = {}) => {
		const clock = { now: () => new Date(parts.clock.now().getTime() + aheadMs) };
		const keyRing = await openBegunKeyRing(parts.database, clock, endedFile);
		const { origins } = openIdentity({ ...parts, keyRing, clock, environment: 'production' });
		const broken: BrokenRow[] = [];
		keyRing.seals.onBroken((row) => void broken.push(row));
		return {
			...{ keyRing, broken },
			allows: () => origins.allows(account.id, SHOP),
			add: () => origins.add('agency', SHOP, BY),
			remove: () => origins.remove('agency', SHOP, BY),
		};
	};
	return { parts, knex: parts.database.knex, openDaemon };
}

for (const dialect of databases) {
	test(`${dialect}: daemons whose clocks differ take turns in removing and adding a row of one name`, async (t) => {
		const { openDaemon } = await open(t, dialect);
		const [ahead, behind] = [await openDaemon({ aheadMs: 9_000 }), await openDaemon({ aheadMs: -9_000 })];
		for (let times = 0; times < 3; times++) {
			await ahead.add();
			t.true(await ahead.allows());
			await ahead.remove();
			await behind.add();
			t.true(await behind.allows());
			await until('the other daemon knows', ahead.allows);
			await behind.remove();
			await until('the other daemon knows too', async () => !(await ahead.allows()));
		}
		t.deepEqual([...ahead.broken, ...behind.broken], []);
	});

	test(`${dialect}: an end is learned, also after an entry of a daemon whose clock was a year ahead`, async (t) => {
		const { knex, openDaemon } = await open(t, dialect);
		const [ahead, here, other] = [
			await openDaemon({ aheadMs: 365 * DAY_MS }),
			await openDaemon({ aheadMs: -5_000 }),
			await openDaemon({ aheadMs: 5_000 }),
		];
		await ahead.add();
		t.true(await other.allows());
		await ahead.remove();
		await until('the other daemon has read that', async () => !(await other.allows()));
		await here.add();
		const before = await knex('origins');
		await here.remove();
		await knex('origins').insert(before);
		await until('the other daemon refuses it', async () => !(await other.allows()));
		t.like(other.broken.at(-1), { table: 'origins', why: 'put-back' });
	});

	test(`${dialect}: an entry that somebody has written or changed is not believed, and does not hide a real one`, async (t) => {
		const { knex, openDaemon } = await open(t, dialect);
		const [here, other] = [await openDaemon(), await openDaemon()];
		await here.add();
		const [entry] = await knex('ended_rows').where({ name: 'origins' });
		await knex('ended_rows').update({ generation: 9e15 });
		await until('the other daemon has refused it', async () => {
			t.true(await other.allows());
			return other.broken.length > 0;
		});
		t.like(other.broken[0], { table: 'ended_rows', why: 'altered' });
		const before = await knex('origins');
		await here.remove();
		await knex('origins').insert(before);
		await until('the other daemon knows', async () => !(await other.allows()));
		t.like(other.broken.at(-1), { table: 'origins', why: 'put-back' });
		// An earlier entry that is put back does not make an earlier row valid.
		await knex('ended_rows').where({ name: 'origins' }).update(entry);
		t.false(await here.allows());
	});

	test(`${dialect}: a row that is changed between two readings is no row that was put back`, async (t) => {
		const { parts, openDaemon } = await open(t, dialect);
		const [here, other] = [await openDaemon(), await openDaemon()];
		await here.add();
		const { seals } = other.keyRing;
		const { sealedOrigins } = await import('../../src/people/identity/sealed-rows.ts');
		let reads = 0;
		const rows = await seals.list(sealedOrigins, async () => {
			const found = await parts.database.knex('origins');
			if (++reads > 1) return found;
			await here.remove();
			await here.add();
			// The end is learned while the work goes on, as by another call.
			await until('the other daemon has learned of it', async () => {
				await seals.refresh();
				return !seals.isCurrent({ shape: sealedOrigins, row: found[0] });
			});
			return found;
		});
		t.is(rows.length, 1);
		t.is(reads, 2);
		t.deepEqual(other.broken, []);
	});

	test(`${dialect}: entries are removed a day after their rows have expired, from table and file`, async (t) => {
		const { parts, knex, openDaemon } = await open(t, dialect);
		const endedFile = join(makeFolder(t), 'ended-rows.jsonl');
		const { keyRing, add, remove } = await openDaemon({ endedFile });
		await add();
		await remove();
		const { sealedPortalSessions } = await import('../../src/people/portal-users/sealed-rows.ts');
		const now = parts.clock.now().getTime();
		for (let nth = 0; nth < 1_200; nth += 200) {
			const rows = Array.from({ length: 200 }, (_, each) => ({ id: `session ${nth + each}`, ends_at: now + 1_000 }));
			await keyRing.seals.transact(parts.database, (transaction, sealer) =>
				sealer.end(transaction, sealedPortalSessions, ...rows),
			);
		}
		const lines = () => readFileSync(endedFile, 'utf8').trim().split('\n').length;
		t.is(lines(), 1_202);
		parts.turn(DAY_MS);
		await keyRing.seals.removePastEnds();
		t.is((await knex('ended_rows')).length, 1_201);
		parts.turn(2_000);
		await keyRing.seals.removePastEnds();
		t.is((await knex('ended_rows')).length, 1);
		const restarted = await openDaemon({ endedFile });
		t.false(await restarted.allows());
		t.is(lines(), 2, 'the two changes of the origin');
	});

	test(`${dialect}: a daemon that starts with the file knows what the table has lost, and reads over a line that was cut off`, async (t) => {
		const { knex, openDaemon } = await open(t, dialect);
		const endedFile = join(makeFolder(t), 'ended-rows.jsonl');
		const { add, remove } = await openDaemon({ endedFile });
		await add();
		const before = await knex('origins');
		await remove();
		await knex('origins').insert(before);
		await knex('ended_rows').delete();
		writeFileSync(endedFile, '{"name":"origins","row_id":"1/ht', { flag: 'a' });
		const restarted = await openDaemon({ endedFile });
		t.false(await restarted.allows());
		t.like(restarted.broken[0], { table: 'origins', why: 'put-back' });
		t.true(await (await openDaemon()).allows(), 'without the file nobody can know');
	});
}

test('a file that cannot be written is told, and gets its lines later', async (t) => {
	const { parts } = await open(t, 'sqlite');
	const { openEndedRows } = await import('../../src/base/keys/rows/ended-rows.ts');
	const folder = makeFolder(t);
	const file = join(folder, 'missing', 'ended-rows.jsonl');
	const failures: unknown[] = [];
	const ended = openEndedRows({
		...{ knex: parts.database.knex, clock: parts.clock, file },
		onFileFailed: (error) => void failures.push(error),
	});
	const row = { name: 'origins', row_id: '1', generation: 2, needed_until: null, at: 1, seal_key: 1 as never };
	await ended.learnCommitted([{ ...row, seal: Buffer.from('a seal') }]);
	t.like(failures, [{ code: 'ENOENT' }]);
	const { mkdirSync } = await import('node:fs');
	mkdirSync(join(folder, 'missing'));
	await ended.learnCommitted([]);
	t.is(JSON.parse(readFileSync(file, 'utf8')).generation, 2);
});
