// Counts are exact: every card and file is counted once, whatever happens meanwhile, on both databases.

import test from 'ava';
import fc from 'fast-check';
import type { Database } from '../../src/base/database/open.ts';
import { followTrail } from '../../src/work/statistics/follow-trail.ts';
import { keptSince, periodsOf, SPANS, startOf } from '../../src/work/statistics/periods.ts';
import { openStatistics, purgeStatistics } from '../../src/work/statistics/statistics.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { until } from '../helpers/until.ts';

const NEVER = 3_600_000;
const logger = { warn() {} };
const accountsOfJobs = async () => new Map();

/** Returns the counts of an account by kind, for one span. */
async function countsOf({ knex }: Pick<Database, 'knex'>, accountId: number, span: 0 | 1 = SPANS.day) {
	const rows = await knex('statistics')
		.where({ span, account_id: accountId })
		.groupBy('what')
		.select('what')
		.sum('count as count');
	return Object.fromEntries(rows.map(({ what, count }) => [what, Number(count)]));
}

for (const dialect of databases) {
	test(`${dialect}: cards, files, refusals and units are counted once, by several daemons`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const agency = await parts.createCaller('agency');
		const other = await parts.createCaller('other');
		const jobs = async () => new Map([['job1', agency.account.id]]) as never;
		const daemons = [1, 2].map(() => openStatistics({ ...parts, logger, accountsOfJobs: jobs }, NEVER));
		t.teardown(() => Promise.all(daemons.map((daemon) => daemon.close())));
		for (let card = 0; card < 3; card++) await storeCard(agency);
		await storeCard(other);
		const record = (action: string, subject: string, details: object) =>
			parts.audit.record({ actor: 'daemon', action, subject, details: details as never });
		await record('file.tokenize', 'job job1', { filter: 'GBT', cards: 40, refused: 4, reasons: 'luhn 2, expired 1' });
		await record('file.failed', 'job job1', { filter: 'GBT' });
		await record('file.detokenize', 'job job1', { filter: 'GBT', cards: 7 });
		await record('card.import', 'account other', { cards: 9, refused: 1 });
		daemons[0].noteCall({ accountId: other.account.id, ms: 42 });
		daemons[1].noteCall({ accountId: other.account.id, ms: 99_000, hasRefusedCard: true });
		// Units of accounts without a limit are written a moment later.
		await until('every unit is counted', async () => {
			await Promise.all(daemons.map((daemon) => daemon.flush()));
			return (await countsOf(parts.database, 0)).units === 4;
		});
		t.deepEqual(await countsOf(parts.database, agency.account.id), {
			...{ 'cards/http': 3, 'cards/file': 40, 'cards/back': 7, 'file/tokenize/GBT': 1, 'file/detokenize/GBT': 1 },
			...{ 'refused/luhn': 2, 'refused/expired': 1, 'refused/other': 1, failed: 1, units: 3 },
		});
		t.deepEqual(await countsOf(parts.database, other.account.id, SPANS.hour), {
			...{ 'cards/http': 1, 'cards/import': 9, 'refused/call': 2, 'call/3': 1, 'call/12': 1, units: 1 },
		});
		t.like(await countsOf(parts.database, 0), {
			'cards/http': 4,
			'cards/file': 40,
			'cards/import': 9,
			failed: 1,
			units: 4,
		});
	});

	test(`${dialect}: a job counts for the account of its file, with the reasons of its report`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const agency = await parts.createCaller('agency');
		const payload = `CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n4111111111111112,12,2029\n`;
		await agency.inject('POST', '/api/files/tokenize?filter=SIMPLECSV&async=true', {
			...{ headers: { 'content-type': 'text/csv' }, payload },
		});
		t.is(await runNextJob(parts), 'done');
		const owners = async (ids: readonly string[]) => new Map(ids.map((id) => [id, agency.account.id])) as never;
		const daemon = openStatistics({ ...parts, logger, accountsOfJobs: owners }, NEVER);
		t.teardown(() => daemon.close());
		await daemon.flush();
		t.like(await countsOf(parts.database, agency.account.id), {
			...{ 'cards/file': 1, 'file/tokenize/SIMPLECSV': 1, 'refused/luhn': 1, 'refused/other': undefined },
		});
	});

	test(`${dialect}: any cards, flushes and breakdowns give exact sums`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const agency = await parts.createCaller('agency');
		const expected: Record<string, number> = {};
		let daemon = openStatistics({ ...parts, logger, accountsOfJobs }, NEVER);
		const step = fc.oneof(
			fc.record({ cards: fc.integer({ min: 1, max: 50 }), form: fc.boolean() }),
			fc.record({ batch: fc.integer({ min: 0, max: 50 }) }),
			fc.record({ turn: fc.integer({ min: 1, max: 100 }) }),
			fc.constantFrom('flush' as const, 'crash' as const, 'refuse' as const, 'call' as const),
		);
		const add = (kind: string, count: number) => {
			if (count > 0) expected[kind] = (expected[kind] ?? 0) + count;
		};
		const record = (action: string, details: object) =>
			parts.audit.record({ actor: 'agency', action, subject: 'x', details: details as never });
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
				for (const each of steps) {
					if (each === 'flush') await daemon.flush();
					else if (each === 'crash') {
						// What was in memory is lost; calls are flushed before, so that the sums can be compared.
						await daemon.flush();
						await daemon.close();
						daemon = openStatistics({ ...parts, logger, accountsOfJobs }, NEVER);
					} else if (each === 'refuse') {
						// The transaction breaks after the counts were added.
						const broken = { ...parts, accountsOfJobs: () => Promise.reject(new Error('gone')) };
						await followTrail(broken).catch(() => {});
					} else if (each === 'call') {
						daemon.noteCall({ accountId: agency.account.id, ms: 1 });
						add('call/0', 1);
					} else if ('turn' in each) parts.clock.turn(each.turn * 60_000);
					else if ('batch' in each) {
						await record('card.batch', { cards: each.batch });
						add('cards/http', each.batch);
					} else {
						const details = { isNew: true, ...(each.form && { door: 'form' }) };
						await Promise.all(Array.from({ length: each.cards }, () => record('card.store', details)));
						add(each.form ? 'cards/form' : 'cards/http', each.cards);
					}
				}
				await daemon.flush();
				t.deepEqual(await countsOf(parts.database, agency.account.id), expected);
				t.deepEqual(await countsOf(parts.database, 0, SPANS.hour), expected);
			}),
			{ numRuns: dialect === 'sqlite' ? 20 : 5 },
		);
		await daemon.close();
	});

	test(`${dialect}: units are counted across a fresh allowance, and units given back are taken off`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const agency = await parts.createCaller('agency');
		const payer = { ownerId: agency.account.id, accountId: agency.account.id };
		const daemon = openStatistics({ ...parts, logger, accountsOfJobs }, NEVER);
		t.teardown(() => daemon.close());
		await parts.identity.allowance.count(payer, 7);
		await daemon.flush();
		await parts.identity.allowance.count(payer, 5);
		await parts.identity.accounts.unblock('agency', 'operator test');
		await parts.identity.allowance.count(payer, 2);
		const { giveBack } = await parts.identity.allowance.charge(payer, 4);
		await giveBack();
		await daemon.flush();
		t.deepEqual(await countsOf(parts.database, agency.account.id), { units: 14 });
	});

	test(`${dialect}: of an older trail as much is counted as views show, and old counts are removed`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const agency = await parts.createCaller('agency');
		const daemon = openStatistics({ ...parts, logger, accountsOfJobs }, NEVER);
		t.teardown(() => daemon.close());
		await storeCard(agency);
		parts.clock.turn(10 * 86_400_000);
		await daemon.flush();
		t.is((await countsOf(parts.database, agency.account.id, SPANS.hour))['cards/http'], undefined, 'kept for 8 days');
		t.like(await countsOf(parts.database, agency.account.id), { 'cards/http': 1 });
		parts.clock.turn(400 * 86_400_000);
		await purgeStatistics(parts);
		t.deepEqual(await countsOf(parts.database, agency.account.id), {});
	});
}

test('the periods of a view follow each other and end with the present one', (t) => {
	const now = Date.UTC(2028, 1, 29, 23, 59, 59);
	for (const [view, count] of [
		['hours', 24],
		['days', 30],
		['months', 12],
	] as const) {
		const { span, list } = periodsOf(view, now);
		t.is(list.length, count);
		t.true(list.at(-1)!.fromMs <= now && now < list.at(-1)!.toMs);
		for (const [index, { toMs, starts }] of list.entries()) {
			t.is(toMs, list[index + 1]?.fromMs ?? toMs);
			for (const start of starts) t.is(startOf(span, start), start);
		}
		t.true(list[0].fromMs >= keptSince(span, now));
	}
});
