// Measures every list of the portal and of the calls over HTTP on the server, each over 1,000,000 rows of one account: the
// first page, narrowed pages, and pages far from the beginning.

import type { ExecutionContext } from 'ava';
import type { Knex } from 'knex';
import { byteOrdered } from '../src/base/database/dialect.ts';
import type { AccountId } from '../src/base/database/ids.ts';
import type { Database } from '../src/base/database/open.ts';
import { sealedAccounts } from '../src/people/identity/sealed-rows.ts';
import { sealedPortalUsers } from '../src/people/portal-users/sealed-rows.ts';
import { WHOLE_PAGE } from '../src/vault/tokens/association-store.ts';
import { associationRow } from '../src/vault/tokens/associations.ts';
import type { Caller } from '../test/helpers/http-app.ts';
import { openPortalApp, type PortalApp } from '../test/helpers/portal-app.ts';
import { amount, runs } from './amounts.ts';
import { fillTable } from './fill-table.ts';
import { storeCards } from './search.ts';
import { slowestRow } from './slowest.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';

const ROWS = amount('BENCH_ENTRIES', 1_000_000);
const ASKED = runs(10);
const MUST_MS = 100;
const MINUTE_MS = 60_000;
const ROUTE = 'nightly';
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Fills a database, which takes a minute or two, and asks for every list several times. */
export async function everyListRow(dialect: 'sqlite' | 'postgres'): Promise<BenchRow> {
	await using t = new Teardowns();
	const parts = await openPortalApp(t as unknown as ExecutionContext, dialect);
	const { call, lists } = await openLists(parts);
	return await slowestRow(
		Object.entries(lists).map(([what, url]) => ({
			what,
			figure: `questions/${dialect}/every-list/${what}`,
			ask: () => call(url),
		})),
		{
			of: `lists of portal and HTTP, of ${ROWS.toLocaleString('en')} rows each, ${dialect}`,
			runs: ASKED,
			goal: { must: MUST_MS },
		},
	);
}

/** Fills an installation, and returns the addresses of its lists with a function that asks for one. */
async function openLists(parts: PortalApp) {
	const manager = await parts.signIn('manager');
	const operator = await parts.signIn('operator', { operatorRole: 'view' });
	const caller = manager.caller!;
	const route = await openRoute(caller);
	const now = parts.clock.now().getTime();
	const merchant = (await parts.signIn('manager', { account: 'hotel' })).caller!.account.id;
	await fill(parts, { accountId: caller.account.id, merchant, route: await routeIdOf(parts.database, route), now });
	const answerTo = (url: string) => {
		if (!url.startsWith('/portal')) return caller.inject('GET', url);
		return (url.startsWith('/portal/installation') ? operator : manager).get(url);
	};
	const call = async (url: string) => {
		const { statusCode, body } = await answerTo(url);
		if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${body.slice(0, 300)}`);
	};
	const half = ROWS / 2;
	const day = new Date(timeOf(half, now)).toISOString().slice(0, 10);
	const on = `since=${day}&until=${day}`;
	const middle = ulid(half, now);
	const lists: Readonly<Record<string, string>> = {
		jobs: '/portal/files',
		'jobs-failed': '/portal/files?show=failed',
		'jobs-deep': `/portal/files?after=${half}`,
		'jobs-done': '/portal/files?show=done',
		'jobs-name': '/portal/files?name=file-77',
		'jobs-no-such-name': '/portal/files?name=nothing-has-this-name',
		'jobs-name-failed': '/portal/files?name=file-77&show=failed',
		'jobs-name-format': '/portal/files?name=file-&filter=CSV',
		'jobs-http': '/api/jobs',
		'jobs-http-failed': '/api/jobs?state=failed',
		'jobs-http-running': '/api/jobs?state=running',
		'jobs-http-deep': `/api/jobs?from=${ROWS - 200}`,
		'jobs-http-failed-deep': `/api/jobs?state=failed&from=${ROWS / 50 - 200}`,
		'jobs-http-format': '/api/jobs?filter=CSV',
		'jobs-http-name': '/api/jobs?name=file-77',
		'jobs-http-no-such-name': '/api/jobs?name=nothing-has-this-name',
		'jobs-http-day': `/api/jobs?day=${day}`,
		files: '/portal/files/tokenized/GBT',
		'files-from': '/portal/files/tokenized/GBT?from=file-5',
		'files-deep': '/portal/files/tokenized/GBT?after=file-777777.csv',
		cards: '/portal/cards',
		'cards-reference': '/portal/cards?reference=booking-7000',
		'cards-last-four': '/portal/cards?last4=1111',
		'cards-no-such-last-four': '/portal/cards?last4=9999',
		'cards-day': `/portal/cards?${on}`,
		'cards-user': `/portal/cards?user=${caller.account.userId}`,
		'cards-merchant': '/portal/cards?merchant=hotel',
		'cards-merchant-reference': '/portal/cards?merchant=hotel&reference=booking-7000',
		'cards-reference-of-many': '/portal/cards?reference=frequent',
		'cards-http-merchant': '/api/payments/paycard/meta?merchantId=hotel',
		'cards-http': '/api/payments/paycard/meta',
		'cards-http-reference': '/api/payments/paycard/meta?ref=booking-7000',
		'cards-http-deep': `/api/payments/paycard/meta?from=${ROWS - 200}`,
		requests: '/portal/requests',
		'requests-state': '/portal/requests?state=MessageFailed',
		'requests-deep': `/portal/requests?after=${middle}`,
		'requests-day': `/portal/requests?${on}`,
		'requests-state-day': `/portal/requests?state=LinkExpired&${on}`,
		payments: '/portal/payments',
		'payments-state': '/portal/payments?state=unknown',
		'payments-deep': `/portal/payments?after=${middle}`,
		'payments-day': `/portal/payments?${on}`,
		'payments-ref': '/portal/payments?ref=booking-77',
		'payments-gateway': '/portal/payments?gatewayref=pi_77',
		'payments-http-gateway': '/api/paymentGateway/transactions?gatewayReference=pi_77',
		'payments-http': '/api/paymentGateway/transactions',
		'payments-http-deep': `/api/paymentGateway/transactions?from=${ROWS - 200}`,
		routes: '/portal/routes',
		'route-runs': `/portal/routes/${ROUTE}/runs`,
		'route-runs-failed': `/portal/routes/${ROUTE}/runs?state=failed`,
		'route-runs-missed': `/portal/routes/${ROUTE}/runs?state=running`,
		'route-runs-deep': `/portal/routes/${ROUTE}/runs?after=${middle}`,
		'route-runs-days': `/portal/routes/${ROUTE}/runs?since=${day}&until=${day}`,
		'route-runs-http-day': `/api/routes/${ROUTE}/runs?day=${day}`,
		'route-files': `/portal/routes/${ROUTE}/files`,
		'route-files-dead': `/portal/routes/${ROUTE}/files?state=dead`,
		'route-files-seen': `/portal/routes/${ROUTE}/files?state=seen`,
		'route-files-deep': `/portal/routes/${ROUTE}/files?after=${half}`,
		events: '/portal/events',
		'events-rare': '/portal/events?type=key.expiring',
		'events-frequent': '/portal/events?type=job.done',
		'events-days': `/portal/events?since=${day}&until=${day}`,
		'events-deep': `/portal/events?after=evt_${middle}`,
		'events-http': '/api/events',
		'events-http-day': `/api/events?from=${day}T00:00:00Z&to=${day}T23:59:59Z`,
		people: '/portal/people',
		'people-deep': `/portal/people?after=${half}`,
		'sub-users': '/portal/access/accounts',
		'sub-users-deep': `/portal/access/accounts?after=${childAt(half)}`,
		'sub-users-back': `/portal/access/accounts?before=${childAt(half)}`,
		accounts: '/portal/installation/accounts',
		'accounts-deep': `/portal/installation/accounts?after=${half}`,
		calls: '/portal/calls',
		'calls-failed': '/portal/calls?end=failed',
		'calls-http': '/api/requests',
		trail: '/portal/trail',
		overview: '/portal',
		access: '/portal/access',
	};
	return { call, lists };
}

async function openRoute(caller: Caller): Promise<string> {
	const document = {
		name: ROUTE,
		from: { drop: '/tokenized/GBT', files: ['*.csv'] },
		do: { operation: 'none' },
		to: { drop: '/tokenized/CSV' },
		when: { cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' },
	};
	const { statusCode, body } = await caller.inject('PUT', `/api/routes/${ROUTE}`, { payload: document });
	if (statusCode >= 300) throw new Error(`the route was refused: ${body}`);
	return ROUTE;
}

async function routeIdOf({ knex }: Database, name: string): Promise<string> {
	return (await knex('routes').where({ name }).first('id')).id;
}

/** The time of the n-th row. The rows are spread over two years, up to a minute ago. */
function timeOf(n: number, now: number): number {
	return now - MINUTE_MS - (ROWS - n) * STEP_MS;
}
const STEP_MS = Math.floor((730 * 1_440 * MINUTE_MS) / ROWS);

/** The id of the n-th row, as the database makes it too. */
function ulid(n: number, now: number): string {
	const at = timeOf(n, now);
	const digits = Array.from({ length: 10 }, (_, place) => DIGITS[Math.floor(at / 32 ** (9 - place)) % 32]);
	return `${digits.join('')}0000000000${String(n).padStart(6, '0').slice(-6)}`;
}

/** A call as the log holds it. */
const LOGGED_CALL = {
	...{ id: '01a22408-cc0f-74ad-86d5-d08486b0f9f7', time: '2026-05-01T00:00:00.000Z', method: 'POST', status: 200 },
	...{ route: '/api/payments/paycard', outcome: 'done', message: null, moreInfo: null, credential: 'api-key 7' },
};
const LOGGED_CALLS = Array(100).fill(LOGGED_CALL);
/** Seals the rows of people and accounts that pages show, because a broken seal is told to the log. */
async function sealShown({ database, keyRing }: PortalApp): Promise<void> {
	const { dialect } = database;
	const near = (knex: Knex, table: string, key: string, from: string | number) =>
		knex(table).whereRaw(`${key} > ?`, [from]).whereNull('seal').orderByRaw(key).limit(SHOWN);
	const userId = byteOrdered(dialect, 'user_id');
	const parts = [
		{ shape: sealedPortalUsers, places: [0, ROWS / 2].map((from) => ['id', from] as const) },
		{
			shape: sealedAccounts,
			places: [
				['id', 0],
				['id', ROWS / 2],
				[userId, ''],
				[userId, childAt(ROWS / 2)],
				[userId, childAt(ROWS / 2 - SHOWN)],
			],
		},
	] as const;
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		for (const { shape, places } of parts)
			for (const [key, from] of places)
				for (const row of await near(transaction, shape.table, key, from))
					await transaction(shape.table).where({ id: row.id }).update(sealer.seal(shape, row));
	});
}
/** A page shows fewer. */
const SHOWN = 60;

/** The user ID of the n-th sub-user. */
function childAt(n: number): string {
	return `agency~desk-${String(n).padStart(7, '0')}`;
}

/** Lets a merchant use the cards of every page. */
async function sharePages({ database, keyRing }: PortalApp, merchant: AccountId): Promise<void> {
	const ids: number[] = await database.knex('pages').orderBy('id').pluck('id');
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		const rows = ids.map((id) => ({ ...associationRow(sealer, Number(id), WHOLE_PAGE, merchant, 0), created_at: 0 }));
		await transaction.batchInsert('associations', rows, 500);
	});
}

interface Filled {
	readonly accountId: AccountId;
	/** The account that may use the cards. */
	readonly merchant: AccountId;
	/** The id of the route whose runs and files are filled in. */
	readonly route: string;
	readonly now: number;
}

async function fill(parts: PortalApp, { accountId, merchant, route, now }: Filled): Promise<void> {
	const { database } = parts;
	const isPostgres = database.dialect === 'postgres';
	const at = `(${now - MINUTE_MS} - (${ROWS} - n) * ${STEP_MS})`;
	const six = isPostgres ? `lpad(cast(n % 1000000 as text), 6, '0')` : `printf('%06d', n % 1000000)`;
	const seven = isPostgres ? `lpad(cast(n as text), 7, '0')` : `printf('%07d', n)`;
	const digits = Array.from(
		{ length: 10 },
		(_, place) => `substr('${DIGITS}', cast(${at} / ${32 ** (9 - place)} % 32 as integer) + 1, 1)`,
	);
	const id = `(${digits.join(' || ')} || '0000000000' || ${six})`;
	const account = String(accountId);
	const bytes = isPostgres ? `'\\x00'::bytea` : `x'00'`;
	await storeCards(parts, accountId, ROWS);
	await sharePages(parts, merchant);
	const { id: key } = (await database.knex('keys').where({ purpose: 'audit' }).first('id')) as { id: number };
	const { page } = (await database.knex('pages').min({ page: 'id' }).first()) as { page: number };
	const tables: Record<string, Record<string, string>> = {
		token_refs: {
			...{ account_id: account, reference: `'booking-' || n / 10` },
			...{ page_id: `${page} + n / 32`, slot: 'n % 32' },
		},
		jobs: {
			...{
				id,
				account_id: account,
				operation: `'tokenize'`,
				filter: `case when n % 100000 = 5 then 'CSV' else 'GBT' end`,
			},
			...{ name: `'file-' || n || '.csv'`, state: `case when n % 50 = 7 then 'failed' else 'done' end`, input_id: '0' },
			...{ attempts: '1', next_run_at: '0', bytes_read: '1000', bytes_total: '1000', cards: '100', warned: '0' },
			...{ refused: 'case when n % 20 = 3 then 2 else 0 end', summary: `'{}'`, created_at: at, finished_at: at },
		},
		drop_files: {
			...{ account_id: account, area: `'tokenized'`, filter: `'GBT'`, name: `'file-' || n || '.csv'`, blob_id: id },
			...{ size: '1000', state: `'ready'`, job_id: id, created_at: at, modified_at: at },
		},
		card_requests: {
			...{
				id,
				hash: id,
				account_id: account,
				owner_id: account,
				api_key_id: '1',
				sender_id: `'agency'`,
				kind: `'card'`,
			},
			reference: `'booking-' || n`,
			state: `case when n % 100000 = 5 then 'MessageFailed' when n % 10 < 5 then 'LinkExpired' else 'CardStored' end`,
			...{ created_at: at, expires_at: at, ended_at: at, key_id: '1', sealed: bytes, seal_key: '1', seal: bytes },
		},
		gateway_attempts: {
			...{ id, account_id: account, user_id: `'agency'`, operation: `'authorize'`, gateway: `'mock'` },
			...{ amount_minor: '1000', currency: `'EUR'`, my_ref: `'booking-' || n`, idempotency_key: six },
			state: `case when n % 100000 = 5 then 'unknown' else 'approved' end`,
			...{ created_at: at, settled_at: at },
		},
		route_runs: {
			...{ id, route_id: `'${route}'`, account_id: account, trigger: `'cron'`, started_at: at, ended_at: at },
			state: `case when n % 100000 = 5 then 'failed' else 'done' end`,
		},
		route_run_files: {
			...{ run_id: id, path: `'file.csv'`, size: '1000', state: `'delivered'`, tries: '1', job_id: id },
			...{ cards: '7', refused: '0' },
		},
		route_files: {
			...{
				route_id: `'${route}'`,
				path: `'file-' || n || '.csv'`,
				size: '1000',
				modified_at: at,
				seen_at: at,
				run_id: id,
			},
			state: `case when n % 100000 = 5 then 'dead' else 'done' end`,
			ended_at: at,
		},
		events: {
			...{ id: `'evt_' || ${id}`, account_id: account, about: `'job ' || n`, created_at: at },
			type: `case when n % 100000 = 5 then 'key.expiring' else 'job.done' end`,
			body: `'{"type":"job.done","timestamp":"2026-05-01T00:00:00.000Z","data":{"account":"agency"}}'`,
		},
		event_deliveries: {
			...{ event_id: `'evt_' || ${id}`, endpoint_id: `'none'`, account_id: account, about: `'job ' || n` },
			...{ state: `'sent'`, tries: '1', next_at: at, ended_at: at },
		},
		accounts: {
			...{ user_id: `'agency~desk-' || ${seven}`, kind: `'sub-user'`, parent_id: account, cvv_retention: 'false' },
			...{ allowance_used: '0', created_at: at },
		},
		portal_users: {
			...{ account_id: account, name: `'person-' || n`, role: `'clerk'`, has_factor: 'false', version: '1' },
			...{ created_at: at, password_tries: '0', password_tries_from: '0', code_tries: '0', code_tries_from: '0' },
		},
		audit: {
			...{
				seq: 'n + 1000',
				at,
				key_id: String(key),
				actor: `'agency'`,
				action: `'card.store'`,
				subject: `'token ' || n`,
			},
			...{ details: `'{"credential":"api-key 7"}'`, account_id: account, by_account_id: account },
			...{ previous_hash: id, hash: id },
		},
	};
	for (const [table, columns] of Object.entries(tables)) await fillTable(database, table, ROWS, columns);
	// The oldest fifth of the cards has a reference in common.
	await fillTable(database, 'token_refs', ROWS / 5, { ...tables.token_refs, reference: `'frequent'` });
	// The log of calls keeps the latest thousand of an account.
	await fillTable(database, 'call_log', 10, {
		...{ account_id: account, at, calls: '100', document: `'${JSON.stringify(LOGGED_CALLS)}'` },
	});
	await database.knex('audit_head').update({ seq: ROWS + 999 });
	await sealShown(parts);
	if (isPostgres) await database.knex.raw('vacuum analyze');
}
