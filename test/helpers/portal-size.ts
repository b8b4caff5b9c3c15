// Fills the database of an installation with the rows of years of work, in seconds, because the database itself makes the
// rows. What is sealed in them is not real, so pages may list the rows, but nobody can open them.

import type { AccountId } from '../../src/base/database/ids.ts';
import type { Database } from '../../src/base/database/open.ts';

export interface PortalSize {
	/** The number of cards, of which each page of the vault holds 32. */
	readonly tokens: number;
	readonly jobs: number;
	readonly entries: number;
	readonly accounts: number;
}

/** The greatest number of rows that one statement makes. */
const ROWS_AT_ONCE = 500_000;
const CARDS = 32;
const RUNS_OF_A_WEEK = 60_000;
/** A page of 32 cards is about this large. */
const PAGE_BYTES = 2_400;
/** Ids begin here, so that none of them is in use already. */
const FIRST_ID = 1_000_000;
const MINUTE_MS = 60_000;

/** Fills the database, mostly with rows of one account. It only works on SQLite. */
export async function fillToSize(
	{ knex }: Pick<Database, 'knex'>,
	accountId: AccountId,
	nowMs: number,
	size: PortalSize,
): Promise<void> {
	/** Makes rows of a table. The columns are expressions of SQL, in which `n` counts the rows from 0. */
	const fill = async (table: string, count: number, columns: Readonly<Record<string, string>>) => {
		const names = Object.keys(columns).join(', ');
		const values = Object.values(columns).join(', ');
		for (let from = 0; from < count; from += ROWS_AT_ONCE) {
			const to = Math.min(count, from + ROWS_AT_ONCE);
			await knex.raw(
				`with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n + 1 < ${to})
				 insert into ${table} (${names}) select ${values} from numbers`,
			);
		}
	};
	const pages = Math.ceil(size.tokens / CARDS);
	/** Returns the time of the n-th of `count` rows as SQL. The times are spread over two years up to an hour ago. */
	const at = (count: number) =>
		`${nowMs - 61 * MINUTE_MS} - (${count} - n) * ${Math.max(1, Math.floor((730 * 1440 * MINUTE_MS) / Math.max(1, count)))}`;
	await fill('accounts', size.accounts, {
		...{
			id: `${FIRST_ID} + n`,
			user_id: `'hotel-' || n`,
			kind: `'primary'`,
			cvv_retention: '0',
			created_at: String(nowMs),
		},
		...{ allowance_limit: '100000', allowance_used: '5' },
	});
	await fill('pages', pages, {
		...{ id: `${FIRST_ID} + n`, account_id: String(accountId), creator_id: String(accountId), key_id: '1', kind: '0' },
		...{ salt: 'randomblob(16)', count: String(CARDS), live: String(CARDS), sealed: `zeroblob(${PAGE_BYTES})` },
		...{ created_at: at(pages), version: '0', token_generation: '1' },
	});
	// Every tenth card has a reference.
	await fill('token_refs', Math.floor(size.tokens / 10), {
		...{ account_id: String(accountId), reference: `'booking-' || n` },
		...{ page_id: `${FIRST_ID} + n / ${CARDS}`, slot: `n % ${CARDS}` },
	});
	const job = `printf('01BX5ZZKBKACTAV9WEVG%06d', n)`;
	await fill('jobs', size.jobs, {
		...{ seq: `${FIRST_ID} + n`, id: job, account_id: String(accountId), operation: `'tokenize'`, filter: `'GBT'` },
		...{ name: `'file-' || n || '.csv'`, attempts: '1', next_run_at: '0', bytes_read: '1000', bytes_total: '1000' },
		state: `case when n % 50 = 7 then 'failed' when n >= ${size.jobs} - 200 then 'queued' else 'done' end`,
		...{ cards: '100', refused: 'case when n % 20 = 3 then 2 else 0 end', warned: '0', input_id: '0' },
		...{ summary: `'{}'`, created_at: at(size.jobs), started_at: at(size.jobs), finished_at: at(size.jobs) },
	});
	for (const [area, blob] of [
		['tokenized', '01BX5ZZKBKACTAV9WEVH'],
		['reports', '01BX5ZZKBKACTAV9WEVJ'],
	]) {
		await fill('drop_files', size.jobs, {
			...{ account_id: String(accountId), area: `'${area}'`, filter: `'GBT'`, name: `'file-' || n || '.csv'` },
			...{ blob_id: `printf('${blob}%06d', n)`, size: '1000', state: `'ready'`, job_id: job },
			...{ created_at: at(size.jobs), modified_at: at(size.jobs) },
		});
	}
	await fill('schedule_runs', RUNS_OF_A_WEEK, {
		...{ task: `'task-' || (n % 6)`, fires_at: `${nowMs} - (n / 6) * ${MINUTE_MS}`, claimed_by: `'one'` },
		...{ started_at: `${nowMs} - (n / 6) * ${MINUTE_MS}`, finished_at: String(nowMs), outcome: `'done'` },
	});
	await fillTrail({ knex }, size.entries, nowMs, fill);
}

/** Inserts entries before those that are there, whose numbers move up, and so does the number of the head. */
async function fillTrail(
	{ knex }: Pick<Database, 'knex'>,
	entries: number,
	nowMs: number,
	fill: (table: string, count: number, columns: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
	await knex.raw('update audit set seq = -seq - ?', [entries]);
	await knex.raw('update audit set seq = -seq');
	await knex('audit_head').increment('seq', entries);
	const key: { id: number } = await knex('keys').where({ purpose: 'audit' }).first('id');
	await fill('audit', entries, {
		...{ seq: 'n + 1', at: `${nowMs} - ${entries} + n`, actor: `'agency'`, action: `'card.store'` },
		...{ subject: `'token ' || hex(randomblob(16))`, details: `'{"credential":"api-key 7","isNew":true}'` },
		...{ previous_hash: 'hex(randomblob(32))', key_id: String(key.id), hash: 'hex(randomblob(32))' },
	});
}
