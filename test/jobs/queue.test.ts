import test from 'ava';
import fc from 'fast-check';
import { openDatabase } from '../../src/base/database/open.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { candidatesSql } from '../../src/work/jobs/queue/claim-store.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { databases } from '../helpers/database.ts';
import { openJobParts } from '../helpers/job-parts.ts';

const failure = { error: { reason: 'database-unavailable', message: 'the database was unavailable' }, at: 1 };

for (const dialect of databases) {
	test(`${dialect}: the account with fewest running jobs is next, then the oldest job`, async (t) => {
		const parts = await openJobParts(t, dialect);
		for (const name of ['a1', 'a2', 'a3', 'a4']) await parts.put(name, 'x', { accountId: 1 });
		for (const name of ['b1', 'b2']) await parts.put(name, 'x', { accountId: 2 });
		await parts.put('c1', 'x', { accountId: 3 });
		const order: string[] = [];
		for (let job = await parts.claim(); job; job = await parts.claim()) order.push(job.name);
		t.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
	});

	test(`${dialect}: small jobs are taken together in the same order, a large one only as the first`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const claim = async (most: number, sharing?: { mostBytes: number; mostAttempts: number }) => {
			const claimant = { daemonId: 'one', now: Date.now(), leaseUntil: Date.now() + 1000, sharing };
			const jobs = await queueStore(parts.database.knex, dialect).claimAll(claimant, most, small);
			return jobs.map(({ name, state, attempts }) => [name, state, attempts]);
		};
		const small = { mostBytes: 10, mostAttempts: 1 };
		for (const name of ['a1', 'a2', 'a1']) await parts.put(name, 'x', { accountId: 1 });
		await parts.put('b1', 'x', { accountId: 2 });
		await parts.put('large', 'x'.repeat(11), { accountId: 1 });
		await parts.put('a3', 'x', { accountId: 1 });
		t.deepEqual(await claim(2), [
			['a1', 'running', 1],
			['b1', 'running', 1],
		]);
		t.deepEqual(
			await claim(9),
			[['a2', 'running', 1]],
			'the second file named a1 waits for the first, then a large one comes',
		);
		t.deepEqual(await claim(9, small), []);
		t.deepEqual(await claim(9), [['large', 'running', 1]]);
		t.deepEqual(await claim(9, small), [['a3', 'running', 1]]);
	});

	test(`${dialect}: files of one name and folder are processed one after the other, in order`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const first = await parts.put('may.csv', 'one');
		const second = await parts.put('may.csv', 'two');
		const elsewhere = await parts.put('may.csv', 'three', { area: 'detokenize' });
		t.is((await parts.claim())?.id, first.id);
		t.is((await parts.claim())?.id, elsewhere.id);
		t.is(await parts.claim(), undefined);
		const queue = queueStore(parts.database.knex, dialect);
		t.true(await queue.requeue((await parts.job(first.id))!, Date.now() + 60_000, failure));
		t.is(await parts.claim(), undefined, 'the second does not overtake the first while that waits for a retry');
		await parts.database.knex('jobs').where({ id: first.id }).update({ state: 'failed' });
		t.is((await parts.claim())?.id, second.id);
	});

	test(`${dialect}: a lease that ran out goes back into the queue, a renewed one does not`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const queue = queueStore(parts.database.knex, dialect);
		const [dead, alive] = [await parts.put('a', 'x'), await parts.put('b', 'x')];
		const now = Date.now();
		await queue.claim({ daemonId: 'dead', now, leaseUntil: now + 1000 });
		await queue.claim({ daemonId: 'alive', now, leaseUntil: now + 1000 });
		t.deepEqual(await queue.renew([dead.id, alive.id], 'alive', now + 5000), new Set([alive.id]));
		t.deepEqual(await queue.renew([alive.id], 'alive', now + 100), new Set([alive.id]), 'a shorter lease');
		t.deepEqual(await queue.requeueExpired(now + 900, now), []);
		t.deepEqual(await queue.requeueExpired(now + 2000, now), [dead.id]);
		t.like(await parts.job(dead.id), { state: 'queued', attempts: 1, claimed_by: null });
		const again = (await parts.claim('alive'))!;
		t.like(again, { id: dead.id, attempts: 2 });
		t.deepEqual(await queue.requeueExpired(null, now), [dead.id, alive.id], 'a start of the only daemon');
	});

	test(`${dialect}: many that claim at once take each job once and no name twice at a time`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const accepted: JobRow[] = [];
		for (let i = 0; i < 24; i++) accepted.push(await parts.put(`f${i % 8}`, 'x', { accountId: 1 + (i % 3) }));
		const { url, writeTurn } = parts.database;
		const others = await Promise.all([1, 2, 3].map(() => openDatabase({ url, writeTurn })));
		const claimed: JobRow[] = [];
		const active = new Set<string>();
		const worker = async (database: (typeof others)[0], daemonId: string) => {
			const queue = queueStore(database.knex, dialect);
			for (let misses = 0; misses < 20; ) {
				const now = Date.now();
				const job = await queue.claim({ daemonId, now, leaseUntil: now + 60_000 });
				if (!job) {
					misses += 1;
					await new Promise((resolve) => setTimeout(resolve, 5));
					continue;
				}
				claimed.push(job);
				const name = `${job.account_id}/${job.name}`;
				if (active.has(name)) throw new Error(`${name} twice at once`);
				active.add(name);
				await new Promise((resolve) => setTimeout(resolve, 3));
				active.delete(name);
				await database.knex('jobs').where({ id: job.id }).update({ state: 'done' });
			}
		};
		await Promise.all(others.flatMap((database, i) => [worker(database, `d${i}`), worker(database, `e${i}`)]));
		t.deepEqual(
			claimed.map((job) => job.seq).sort((a, b) => a - b),
			accepted.map((job) => job.seq),
		);
		await Promise.all(others.map((database) => database.close()));
	});
}

test('sqlite: every part of a claim reads a few entries of an index, however many jobs wait', async (t) => {
	const { database } = await openJobParts(t);
	const plan: { detail: string }[] = await database.knex.raw(
		`explain query plan ${candidatesSql('sqlite', 8)}`,
		[1, 1],
	);
	const reads = plan.map(({ detail }) => detail).filter((detail) => /\b(jobs|[cnor]) USING/.test(detail));
	t.is(reads.length, 10);
	for (const read of reads) {
		if (read === 'SCAN jobs USING COVERING INDEX jobs_waiting') continue; // This scan ends with the first entry.
		t.regex(read, /^SEARCH .* USING .*(jobs_waiting|jobs_running|jobs_queued|PRIMARY KEY) \(/);
	}
});

/** What may happen to a queue; the model says what the states must then be. */
type Step = { kind: 'put'; name: number } | { kind: 'claim' } | { kind: 'end' | 'retry' | 'expire'; pick: number };

test('in any order of events, only one job of a name runs at a time and nothing is lost', async (t) => {
	const parts = await openJobParts(t);
	const queue = queueStore(parts.database.knex, 'sqlite');
	const step: fc.Arbitrary<Step> = fc.oneof(
		fc.record({ kind: fc.constant('put' as const), name: fc.nat(2) }),
		fc.record({ kind: fc.constant('claim' as const) }),
		fc.record({ kind: fc.constantFrom('end' as const, 'retry' as const, 'expire' as const), pick: fc.nat(5) }),
	);
	let round = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
			const accountId = ++round;
			const model = new Map<string, { name: string; state: string }>();
			const running = () => [...model].filter(([, job]) => job.state === 'running');
			for (const each of steps) {
				if (each.kind === 'put') {
					const job = await parts.put(`n${each.name}`, 'x', { accountId });
					model.set(job.id, { name: job.name, state: 'queued' });
				} else if (each.kind === 'claim') {
					const busy = new Set(running().map(([, job]) => job.name));
					const expected = [...model].find(([, job]) => job.state === 'queued' && !busy.has(job.name))?.[0];
					const job = await parts.claim();
					if (job?.id !== expected) throw new Error(`claimed ${job?.id}, not ${expected}`);
					if (job) model.get(job.id)!.state = 'running';
				} else {
					const picked = running()[each.pick];
					if (!picked) continue;
					const row = await parts.job(picked[0] as never);
					if (each.kind === 'end') await parts.database.knex('jobs').where({ id: row.id }).update({ state: 'done' });
					else if (each.kind === 'retry') await queue.requeue(row, 0, failure);
					else await parts.database.knex('jobs').where({ id: row.id }).update({ lease_until: 1 });
					if (each.kind === 'expire') await queue.requeueExpired(2, 0);
					picked[1].state = each.kind === 'end' ? 'done' : 'queued';
				}
			}
			for (const row of await parts.jobs({ accountId: accountId as never })) {
				if (model.get(row.id)?.state !== row.state) throw new Error(`${row.name} is ${row.state}`);
			}
			await parts.database.knex('jobs').where({ account_id: accountId }).update({ state: 'done' });
		}),
		{ numRuns: 30 },
	);
	t.pass();
});
