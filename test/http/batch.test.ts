import test from 'ava';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { VISA } from '../helpers/card-calls.ts';
import { databases, dialects } from '../helpers/database.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { brokenList } from './batch.setup.ts';

for (const dialect of dialects) {
	test(`shapes §3: every card of a batch gets a line, in order, and its token is there (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const cards = [
			card(),
			card({ Type: undefined }),
			card({ Number: '4111111111111112' }),
			card({ ExpirationDate: { Month: '04', Year: '2020' } }),
			card({ CVV: '12' }),
			card({ Type: 'AMEX', NameOnCard: 'Zoë Ängström', CVV: '306' }),
			{},
			card({ ExpirationDate: { Month: '4', Year: '2030' } }),
			card({ Number: '41111111111' }),
		];
		const response = await caller.inject('POST', BATCH, { headers: NDJSON, payload: ndjson(cards) });
		t.is(response.statusCode, 200);
		t.regex(String(response.headers['content-type']), /^application\/x-ndjson/);
		const lines = linesOf(response.payload);
		t.deepEqual(
			lines.map(({ index, error, warning, token }) => [index, token !== null, error, warning]),
			[
				[0, true, null, null],
				[1, true, null, 'The Card type is missing'],
				[2, false, 'Luhn (Mod10) error', null],
				[3, false, 'Expired card', null],
				[4, false, 'CVV must be 3 or 4 digits', null],
				[5, true, null, 'Card type validation message'],
				[6, false, 'BankCard: is required', null],
				[7, false, 'BankCard.ExpirationDate.Month: expected two digits, 01 to 12', null],
				[8, false, 'Number has less than 12 digits', null],
			],
		);
		t.is(lines[0].uri, `${TEST_BASE_URL}/api/payments/paycard/${lines[0].token}`);
		for (const { token } of lines) {
			if (token === null) continue;
			const found = await parts.vault.find(caller.account.id, token as never);
			t.is(found?.record.digits.toString(), VISA);
		}
		const name = await parts.vault.find(caller.account.id, lines[5].token as never);
		t.is(name?.record.name?.toString(), 'Zoë Ängström');
		t.false(response.payload.includes(VISA));
		t.false(parts.logText().includes(VISA));
		t.is((await parts.database.knex('page_blocks')).length, 0);
	});
}

test('shapes §3: a JSON list is a batch as well, however it is written', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const text = JSON.stringify([card(), card({ CVV: 306 }), 7, card({ Number: '1' })], null, 2);
	const headers = { 'content-type': 'application/json' };
	const response = await caller.inject('POST', BATCH, { headers, payload: `\ufeff ${text} \n` });
	const lines = linesOf(response.payload);
	t.deepEqual(
		lines.map(({ token, error }) => token !== null || error),
		[true, true, 'body: expected an object', 'Number has less than 12 digits'],
	);
	for (const empty of ['[]', ' [ ] ', '']) {
		const none = await caller.inject('POST', BATCH, { headers, payload: empty });
		t.deepEqual([none.statusCode, none.payload], [200, ''], JSON.stringify(empty));
	}
});

test('shapes §3: a malformed line is answered with an error and the rest goes on', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const good = JSON.stringify(card());
	const payload = `${good}\r\n${good.slice(0, 40)}\n\n  \n${good}`;
	const lines = linesOf((await caller.inject('POST', BATCH, { headers: NDJSON, payload })).payload);
	t.deepEqual(
		lines.map(({ index, error }) => [index, error]),
		[
			[0, null],
			[1, 'not valid JSON'],
			[2, null],
		],
	);
});

test('cut after a card', brokenList, '', /the list is cut at offset \d+$/);
test('cut within a card', brokenList, ',{"BankCard":{"Number":"41', /the list is cut at offset \d+$/);
test('no comma', brokenList, '{}]', /a comma or the end of the list is missing at offset \d+$/);

for (const dialect of databases) {
	test(`shapes §11: a batch stops where the allowance ends and keeps what was answered (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		for (const [userId, query] of Object.entries({ plain: '', eliminating: '?eliminateCardDuplication=true' })) {
			const caller = await parts.createCaller(userId, { allowanceLimit: 3 });
			const payload = ndjson([card(), card({ Number: '1' }), ...Array(5).fill(card())]);
			const first = await caller.inject('POST', BATCH + query, { headers: NDJSON, payload });
			const lines = linesOf(first.payload);
			t.deepEqual(
				lines.map(({ index, token }) => [index, token !== null]),
				[
					[0, true],
					[1, false],
					[2, true],
					[3, true],
					[4, false],
				],
			);
			t.regex(lines[4].error!, /^The processing allowance of the account is used up/);
			t.truthy(await parts.vault.find(caller.account.id, lines[3].token as never));
			const { allowanceUsed, blockedAt } = await parts.identity.accounts.get(userId);
			t.deepEqual([allowanceUsed, blockedAt === null], [3, false]);
			t.is((await caller.inject('POST', BATCH, { headers: NDJSON, payload })).statusCode, 403);
		}
		const entries = await parts.database.knex('audit').where({ action: 'card.batch' });
		const told = entries.map(({ details }) => JSON.parse(details));
		t.is(new Set(told.map(({ requestId }) => requestId)).size, 2);
		const expected = { cards: 3, isWhole: true, refused: 1, address: '127.0.0.1' };
		t.deepEqual(
			told.map(({ requestId: _, ...details }) => details),
			[1, 2].map((id) => ({ ...expected, credential: `api-key ${id}` })),
		);
	});
}

test('shapes §11: bad parameters of a batch are a 400 before anything is stored', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const refused = async (query: string, headers: Record<string, string>, status: number) => {
		const response = await caller.inject('POST', `${BATCH}${query}`, { headers, payload: ndjson([card()]) });
		t.is(response.statusCode, status, query);
	};
	await refused('?merchantId=nobody', NDJSON, 400);
	await refused(`?ref=${VISA}`, NDJSON, 400);
	await refused('?eliminateCardDuplication=maybe', NDJSON, 400);
	await refused('?saveCVV=true', NDJSON, 401);
	await refused('?saveCVV=true&merchantId=nobody', NDJSON, 400);
	await refused('', { 'content-type': 'application/xml' }, 400);
	t.is((await parts.database.knex('pages')).length, 0);
	const poor = await parts.createCaller('poor', { permissions: ['Relay'] });
	const response = await poor.inject('POST', BATCH, { headers: NDJSON, payload: ndjson([card()]) });
	t.is(response.statusCode, 403);
	t.true(response.payload.includes('Permission Tokenize is required'));
});

test('a card of more than 64 KiB is refused however the body arrives, in lines and in a list', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const large = `{"Foo":"${'a'.repeat(66_000)}",${ndjson([card()]).trim().slice(1)}`;
	for (const [headers, payload] of [
		[NDJSON, `${large}\n${ndjson([card()])}`],
		[{ 'content-type': 'application/json' }, `[${large},${ndjson([card()]).trim()}]`],
	] as const) {
		const { statusCode, payload: said } = await caller.inject('POST', BATCH, { headers, payload });
		t.true(said.includes('a card is longer than 65536 bytes'), `${statusCode} ${said.slice(0, 200)}`);
	}
	t.is((await parts.database.knex('pages')).length, 0);
});

test('the trail says from where and by which key a batch was begun', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const call = { headers: NDJSON, payload: ndjson([card()]), remoteAddress: '192.0.2.7' };
	const answer = await caller.inject('POST', BATCH, call);
	const [{ details }] = await parts.database.knex('audit').where({ action: 'card.batch.begin' });
	const [{ id }] = await parts.identity.apiKeys.list(caller.account);
	const { requestId, ...cameWith } = JSON.parse(details);
	t.deepEqual(cameWith, { address: '192.0.2.7', credential: `api-key ${id}` });
	t.is(requestId, answer.headers['x-request-id']);
});
