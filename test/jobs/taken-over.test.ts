// Daemons that share a database may disagree about the time. Then one takes a job while another still works on it. The
// attempt that has lost its job may drop its own pages only, because the output of the other one needs that one's pages.

import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { AccountId, JobId } from '../../src/base/database/ids.ts';
import { jobLedgers } from '../../src/installation/opening/bound-engine.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { LeaseLostError } from '../../src/work/jobs/queue/lease-lost.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { type SettlingParts, settleFailure } from '../../src/work/jobs/queue/settle.ts';
import type { JobLedger, JobLedgers } from '../../src/work/jobs/worker-parts.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const ACCOUNT = 1 as AccountId;
const HOUR_MS = 3_600_000;
const LEASE_MS = 15_000;
const CARDS = 3;

async function open(parts: VaultParts) {
	const { database } = parts;
	await database.knex('jobs').insert({
		...{ id: '01job' as JobId, account_id: ACCOUNT, operation: 'tokenize', filter: 'GBT', name: 'may.csv' },
		...{ state: 'queued', input_id: 0, attempts: 0, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0 },
		...{ next_run_at: 0, created_at: 0 },
	});
	const payer = { accountId: ACCOUNT, ownerId: ACCOUNT };
	const none = async () => {};
	const ledgers: JobLedgers = jobLedgers({
		database,
		audit: { record: none, recordAll: none },
		allowance: { check: none, count: none, takeUpTo: async () => 0, findUsage: async () => undefined } as never,
		accounts: { getAccount: async () => payer } as never,
		engine: parts.engine([]),
	});
	const queue = queueStore(database.knex, database.dialect);
	/** Claims the job for a daemon whose clock is wrong by `wrongMs`; before, it takes over a job whose lease has run out. */
	const claim = async (daemonId: string, wrongMs: number): Promise<JobRow> => {
		const now = parts.clock.now().getTime() + wrongMs;
		await queue.requeueExpired(now, now);
		return (await queue.claim({ daemonId, now, leaseUntil: now + LEASE_MS }))!;
	};
	return { ledgers, claim };
}

async function storeCards({ database, keyRing, clock }: VaultParts, { pass }: JobLedger): Promise<void> {
	const whose = { accountId: ACCOUNT, creatorId: ACCOUNT, pass };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, ...whose, now: clock.now(), clock, commit });
	await writer.reserve(CARDS);
	for (let n = 0; n < CARDS; n++)
		writer.place(fieldsOf({ number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 }));
	await writer.flush();
}

/** Adopts the pages of an attempt and returns how many cards the account has then. */
async function adopt({ database, vault }: VaultParts, ledgers: JobLedgers, ledger: JobLedger): Promise<number> {
	await transact(database, (transaction) => ledgers.end([ledger.endOf({})], transaction));
	return (await vault.list(ACCOUNT, { from: 0, num: 100 })).length;
}

for (const dialect of databases) {
	for (const [title, wrongMs] of [
		['ahead', HOUR_MS],
		['behind', -HOUR_MS],
	] as const) {
		test(`${dialect}: an attempt that begins after a daemon whose clock is ${title} took its job drops nothing`, async (t) => {
			const parts = await openVaultParts(t, dialect);
			const { ledgers, claim } = await open(parts);
			const [one, two] = wrongMs > 0 ? [0, wrongMs] : [wrongMs, 0];
			const job = await claim('one', one);
			const taken = await claim('two', two);
			t.deepEqual([job.attempts, taken.attempts], [1, 2], 'the second daemon takes the job at once');
			const later = await ledgers.open(taken);
			await later.begin();
			await storeCards(parts, later);
			const first = await ledgers.open(job);
			await t.throwsAsync(first.begin(), { instanceOf: LeaseLostError });
			t.is(await adopt(parts, ledgers, later), CARDS);
		});
	}

	test(`${dialect}: an attempt that fails while another daemon takes its job drops nothing of the other`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { ledgers, claim } = await open(parts);
		const job = await claim('one', -HOUR_MS);
		const first = await ledgers.open(job);
		await first.begin();
		await storeCards(parts, first);
		let later: JobLedger | undefined;
		const drop: JobLedgers['drop'] = async (given) => {
			// The failing attempt has just extended its lease, by a clock that is an hour behind.
			const taken = await claim('two', 0);
			later = await ledgers.open(taken);
			await later.begin();
			await storeCards(parts, later);
			await ledgers.drop(given);
		};
		const settling = { ...parts, ledgers: { ...ledgers, drop }, maxAttempts: 3 } as unknown as SettlingParts;
		const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
		const clock = { now: () => new Date(parts.clock.now().getTime() - HOUR_MS) };
		t.like(await settleFailure({ ...settling, clock }, job, away), { state: 'lost' });
		await first.endBroken({});
		t.is(await adopt(parts, ledgers, later!), CARDS);
	});

	test(`${dialect}: an attempt that has its job drops what earlier ones left, whatever their clocks said`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { ledgers, claim } = await open(parts);
		const ahead = await ledgers.open(await claim('one', HOUR_MS));
		const next = await claim('two', 2 * HOUR_MS);
		const later = await ledgers.open(next);
		await storeCards(parts, ahead);
		// The first pass gets the greater id, as if the clock of its daemon had been ahead.
		const greater = `7${ahead.pass.id.slice(1)}`;
		await parts.database.knex('page_blocks').update({ pass_id: greater });
		await later.begin();
		t.deepEqual(await parts.database.knex('pages'), []);
		await storeCards(parts, later);
		t.is(await adopt(parts, ledgers, later), CARDS);
	});
}
