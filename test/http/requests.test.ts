// Tests the list of the last calls of an account.

import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openCallLog, purgeCallLog } from '../../src/doors/http/server/call-log.ts';
import { asJson, cardJson, json, VISA } from '../helpers/card-calls.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const CALL = { method: 'GET', route: '/', status: 200, outcome: 'complete', credential: null } as const;

for (const dialect of databases) {
	test(`${dialect}: an account reads what it called and how it ended, youngest first, and no other account's`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const stranger = await parts.createCaller('stranger');
		const stored = await caller.inject('POST', '/api/payments/paycard?ref=order-1', json(cardJson()));
		const token = String(stored.headers.location).slice(-32);
		await caller.inject('GET', `/api/payments/paycard/${token}/meta`, asJson);
		const refused = await caller.inject('POST', '/api/payments/paycard', json(cardJson({ CVV: '12' })));
		await stranger.inject('GET', '/api/booker');
		const listed = await caller.inject('GET', '/api/requests', asJson);
		t.is(listed.statusCode, 200);
		const calls = listed.json();
		t.deepEqual(
			calls.map(({ method, route, status }: Record<string, string>) => [method, route, status]),
			[
				['POST', '/api/payments/paycard', 400],
				['GET', '/api/payments/paycard/:cardToken/meta', 200],
				['POST', '/api/payments/paycard', 201],
			],
		);
		t.like(calls[0], {
			...{ id: refused.headers['x-request-id'], time: parts.clock.now().toISOString() },
			...{ message: 'Bad input parameter', moreInfo: 'BankCard.CVV: CVV must be 3 or 4 digits' },
		});
		t.regex(calls[0].credential, /^api-key \d+$/);
		t.like(calls[1], { message: null, moreInfo: null });
		const page = await caller.inject('GET', '/api/requests?from=1&num=1', asJson);
		t.deepEqual(page.json(), [calls[1]]);
		const others = (await stranger.inject('GET', '/api/requests', asJson)).json();
		t.deepEqual(
			others.map(({ route }: Record<string, string>) => route),
			['/api/booker'],
		);
		const rows = JSON.stringify(await parts.database.knex('call_log'));
		for (const secret of [VISA, token, 'order-1', caller.apiKey]) t.false(rows.includes(secret));
	});

	test(`${dialect}: of each account the last thousand are kept, whoever wrote them`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const clock = turnableClock();
		const logger = { warn: () => t.fail() } as never;
		const [one, two] = [openCallLog({ database, clock, logger }), openCallLog({ database, clock, logger })];
		t.teardown(() => Promise.all([one.close(), two.close()]));
		const account = 7 as AccountId;
		const call = { ...CALL, message: null, moreInfo: null };
		let count = 0;
		for (let round = 0; round < 9; round++) {
			for (let n = 0; n < 300; n++) {
				(round % 3 === 0 ? two : one).note(account, { ...call, id: String(count++) });
				one.note((n % 3) as AccountId, { ...call, id: 'other' });
			}
			await one.list(account, { from: 0, num: 1 });
			await two.list(account, { from: 0, num: 1 });
		}
		const listed = await one.list(account, { from: 0, num: 1000 });
		t.deepEqual(
			listed.map(({ id }) => Number(id)),
			Array.from({ length: 1000 }, (_, n) => count - 1 - n),
		);
		await purgeCallLog({ database, clock });
		const [{ kept }] = await database.knex('call_log').where({ account_id: account }).sum({ kept: 'calls' });
		t.true(Number(kept) >= 1000 && Number(kept) < 1300, String(kept));
		t.deepEqual(await two.list(account, { from: 0, num: 1000 }), listed);
		clock.turn(31 * 24 * 3_600_000);
		await purgeCallLog({ database, clock });
		t.deepEqual(await two.list(account, { from: 0, num: 1000 }), []);
	});
}

test('a flood between two writes is bounded, and nothing of an error passes that looks like a card', async (t: ExecutionContext) => {
	const database = await openTestDatabase(t, 'sqlite');
	const log = openCallLog({ database, clock: turnableClock(), logger: { warn: () => t.fail() } as never });
	const call = { ...CALL, status: 400, message: `a ${VISA}` };
	for (let n = 0; n < 5000; n++) log.note(1 as AccountId, { ...call, id: String(n), moreInfo: 'x'.repeat(1000) });
	await log.close();
	const [row] = await database.knex('call_log');
	t.is(row.calls, 1000);
	t.true(row.document.length < 1000 * 500);
	t.false(row.document.includes(VISA));
	t.is(JSON.parse(row.document).at(-1).id, '4999');
});

test('a database that is away costs a line in the log and no call', async (t) => {
	const lines: unknown[] = [];
	const database = await openTestDatabase(t, 'sqlite');
	await database.knex.schema.dropTable('call_log');
	const log = openCallLog({
		database,
		clock: turnableClock(),
		logger: { warn: (about: unknown) => lines.push(about) } as never,
	});
	log.note(1 as AccountId, { ...CALL, id: '1', message: null, moreInfo: null });
	await log.close();
	t.like(lines, { length: 1 });
});

test('it needs the permission of other lists, and pages are of at most a thousand', async (t) => {
	const parts = await openHttpApp(t);
	const clerk = await parts.createCaller('clerk', { permissions: ['Tokenize'] });
	const denied = await clerk.inject('GET', '/api/requests', asJson);
	t.is(denied.json().message, 'Permission QueryTokens is required');
	const caller = await parts.createCaller('agency');
	t.is((await caller.inject('GET', '/api/requests?num=1001', asJson)).json().moreInfo, 'num: must be <= 1000');
});
