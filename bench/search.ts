// Measures how long a search for one typed text takes where an account has 1,000,000 references, files and people, and
// 200,000 cards in sealed pages.

import { CardNumber } from '../src/base/card/card-number.ts';
import { systemClock } from '../src/base/clock.ts';
import type { AccountId } from '../src/base/database/ids.ts';
import type { Database } from '../src/base/database/open.ts';
import type { KeyRing } from '../src/base/keys/key-ring.ts';
import { userStore } from '../src/people/portal-users/user-store.ts';
import { userOf } from '../src/people/portal-users/users.ts';
import { BulkCommit } from '../src/vault/cards/bulk-commit.ts';
import { openCardWriter } from '../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../src/vault/cards/new-card.ts';
import { openVault } from '../src/vault/vault.ts';
import { openSearch } from '../src/work/search/search.ts';
import { SEARCH_KINDS } from '../src/work/search/typed-text.ts';
import { amount } from './amounts.ts';
import { fillTable } from './fill-table.ts';
import { slowestRow } from './slowest.ts';
import type { BenchRow } from './table.ts';

const ROWS = amount('BENCH_ENTRIES', 1_000_000);
const CARDS = Math.min(200_000, ROWS);
const ASKED = 20;
const MUST_MS = 100;
const ACCOUNT = 1 as AccountId;

/** The typed texts, by what they look for; `lastFour` is of no card, so that the search reads as far as its time lets it. */
const TEXTS = {
	reference: 'booking-5000',
	file: 'file-77',
	person: 'person-123456',
	job: '01bx5zzkbkactav9wevg077777',
	token: 'a054d362051545afd3f6f25107776579',
	call: '00000000-0000-4000-8000-b00000000000',
	lastFour: 'visa 9999',
} as const;

export async function searchRow(
	name: string,
	{ database, keyRing }: { readonly database: Database; readonly keyRing: KeyRing },
): Promise<BenchRow> {
	await fill(database);
	await storeCards({ database, keyRing }, ACCOUNT, CARDS);
	if (database.dialect === 'postgres') await database.knex.raw('vacuum analyze');
	const vault = await openVault({ database, keyRing });
	const listNamed = async (accountId: AccountId, text: string, limit: number) =>
		(await userStore(database.knex).listNamed(database.dialect, accountId, text, limit)).map((row) => userOf(row));
	const calls = { find: async () => undefined };
	const search = openSearch({ database, vault, users: { listNamed: listNamed as never }, calls });
	const searcher = { principal: { accountId: ACCOUNT, ownerId: ACCOUNT }, may: new Set(SEARCH_KINDS) };
	return slowestRow(
		Object.entries(TEXTS).map(([what, text]) => ({
			what,
			figure: `questions/${name}/search-${what}`,
			async ask() {
				const { lastFour, ...others } = await search.find(searcher, text);
				const counts = Object.entries(others).map(([kind, { items }]) => `${kind} ${items.length}`);
				return [...counts, ...(lastFour?.next ? ['not all cards were searched'] : [])].join(', ');
			},
		})),
		{
			of: `searches in ${ROWS.toLocaleString('en')} rows of a list, ${name}`,
			runs: ASKED,
			goal: { must: MUST_MS },
		},
	);
}

async function fill(database: Database): Promise<void> {
	const { dialect } = database;
	const padded = (n: string) => (dialect === 'postgres' ? `lpad(cast(${n} as text), 6, '0')` : `printf('%06d', ${n})`);
	const tables: Record<string, Record<string, string>> = {
		token_refs: { account_id: '1', reference: `'booking-' || n`, page_id: '1000000 + n / 32', slot: 'n % 32' },
		jobs: {
			id: `'01bx5zzkbkactav9wevg' || ${padded('n')}`,
			account_id: '1',
			operation: `'tokenize'`,
			filter: `'GBT'`,
			name: `'file-' || n || '.csv'`,
			state: `'done'`,
			input_id: '0',
			attempts: '1',
			next_run_at: '0',
			bytes_read: '0',
			bytes_total: '0',
			cards: '0',
			refused: '0',
			warned: '0',
			created_at: '1000 * n',
		},
		portal_users: {
			account_id: '1',
			name: `'person-' || n`,
			role: `'clerk'`,
			has_factor: 'false',
			version: '1',
			created_at: 'n',
			password_tries: '0',
			password_tries_from: '0',
			code_tries: '0',
			code_tries_from: '0',
		},
	};
	for (const [table, columns] of Object.entries(tables)) await fillTable(database, table, ROWS, columns);
}

/** Stores cards of an account, all of one number, in sealed pages. */
export async function storeCards(
	{ database, keyRing }: { readonly database: Database; readonly keyRing: KeyRing },
	accountId: AccountId,
	cards: number,
): Promise<void> {
	const commit = new BulkCommit(database);
	const options = { database, keyRing, clock: systemClock, commit, accountId, creatorId: accountId };
	const writer = await openCardWriter({ ...options, pass: undefined, now: new Date() } as never);
	for (let stored = 0; stored < cards; stored += 1_000) {
		await writer.reserve(1_000);
		for (let nth = 0; nth < 1_000; nth++) {
			writer.place(fieldsOf({ number: new CardNumber('4111111111111111'), expiry: 203012, type: 19 }));
		}
		await writer.drain();
	}
	await writer.flush();
	writer.wipe();
}
