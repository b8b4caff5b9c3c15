import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpTestRooms, openHttpRooms, TEST_BASE_URL } from '../helpers/http-rooms.ts';

const BATCH = '/api/payments/paycard/batch';
const VISA = '4111111111111111';
const NDJSON = { 'content-type': 'application/x-ndjson' };

interface Line {
	readonly index: number;
	readonly token: string | null;
	readonly uri: string | null;
	readonly error: string | null;
	readonly warning: string | null;
}

function card(more: object = {}): object {
	return { BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, ...more } };
}

function ndjson(cards: readonly object[]): string {
	return cards.map((each) => `${JSON.stringify(each)}\n`).join('');
}

function linesOf(text: string): Line[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));
}

/** Sends a request whose body is written by the test, over a real connection. */
async function openRequest(t: ExecutionContext, rooms: HttpTestRooms, caller: Caller): Promise<ClientRequest> {
	if (!rooms.app.server.listening) await rooms.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = rooms.app.server.address() as AddressInfo;
	const headers = { ...NDJSON, 'x-service-api-key': caller.apiKey };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: BATCH, headers, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

/** The next whole line of an answer. */
function lineReader(response: IncomingMessage): () => Promise<string> {
	const lines = (async function* () {
		let rest = '';
		for await (const chunk of response) {
			const parts = (rest + chunk).split('\n');
			rest = parts.pop()!;
			yield* parts;
		}
	})();
	return async () => (await lines.next()).value!;
}

for (const dialect of databases) {
	test(`shapes §3: every card of a batch gets a line, in order, and its token is there (${dialect})`, async (t) => {
		const rooms = await openHttpRooms(t, dialect);
		const caller = await rooms.createCaller('agency');
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
			const found = await rooms.vault.find(caller.account.id, token as never);
			t.is(found?.record.digits.toString(), VISA);
		}
		const name = await rooms.vault.find(caller.account.id, lines[5].token as never);
		t.is(name?.record.name?.toString(), 'Zoë Ängström');
		t.false(response.payload.includes(VISA));
		t.false(rooms.logText().includes(VISA));
		t.is((await rooms.database.knex('page_blocks')).length, 0);
	});
}

test('shapes §3: a JSON list is a batch as well, however it is written', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
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
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
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

const brokenList = test.macro({
	async exec(t: ExecutionContext, tail: string, error: RegExp) {
		const rooms = await openHttpRooms(t);
		const caller = await rooms.createCaller('agency');
		const payload = `[${JSON.stringify(card())}${tail}`;
		const headers = { 'content-type': 'application/json' };
		const lines = linesOf((await caller.inject('POST', BATCH, { headers, payload })).payload);
		t.is(lines.length, 2);
		t.is(lines[0].error, null);
		t.truthy(await rooms.vault.find(caller.account.id, lines[0].token as never));
		t.is(lines[1].token, null);
		t.regex(lines[1].error!, error);
	},
	title: (providedTitle = '') => `shapes §3: a broken list stops with a line that says where: ${providedTitle}`,
});

test('cut after a card', brokenList, '', /the list is cut at offset \d+$/);
test('cut within a card', brokenList, ',{"BankCard":{"Number":"41', /the list is cut at offset \d+$/);
test('no comma', brokenList, '{}]', /a comma or the end of the list is missing at offset \d+$/);
test('no card', brokenList, ',]', /a card is missing at offset \d+$/);
test('no JSON', brokenList, ',{"BankCard":nonsense}]', /not valid JSON at offset \d+$/);
test('something behind it', brokenList, ']x', /nothing may follow the list, but something does at offset \d+$/);

test('shapes §3: reference, merchant, duplicates and CVV hold for every card', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency', { cvvRetention: true });
	const merchant = await rooms.createCaller('hotel');
	const query = `${BATCH}?REF=trip-1&merchantid=hotel&eliminateCardDuplication=true`;
	const payload = ndjson([card({ CVV: '306' }), card({ CVV: '306' }), card({ Number: '5555555555554444' })]);
	const first = linesOf((await caller.inject('POST', query, { headers: NDJSON, payload })).payload);
	t.is(first[0].token, first[1].token);
	t.not(first[0].token, first[2].token);
	const again = linesOf((await caller.inject('POST', query, { headers: NDJSON, payload })).payload);
	t.is(again[2].token, first[2].token);
	const found = await rooms.vault.findMetadata(caller.account.id, first[0].token as never);
	t.is(found?.reference, 'trip-1');
	t.deepEqual(found?.merchantIds, [merchant.account.id]);
	t.truthy(found?.cvvEndsAt);
	t.truthy(await rooms.vault.find(merchant.account.id, first[0].token as never));
	const later = `${BATCH}?ref=trip-2&eliminateCardDuplication=true`;
	const known = linesOf((await caller.inject('POST', later, { headers: NDJSON, payload })).payload);
	t.is(known[2].token, first[2].token);
	const named = await rooms.vault.list(caller.account.id, { from: 0, num: 10, reference: 'trip-2' });
	t.deepEqual(named.map(({ token }) => token).sort(), [first[0].token, first[2].token].sort() as never);
});

test('shapes §11: a batch is refused before it starts, or finishes once begun', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency', { allowanceLimit: 1 });
	const payload = ndjson([card(), card(), card({ Number: '1' })]);
	const first = await caller.inject('POST', BATCH, { headers: NDJSON, payload });
	t.is(linesOf(first.payload).filter(({ token }) => token !== null).length, 2);
	t.is((await rooms.identity.accounts.get('agency')).allowanceUsed, 2);
	t.is((await caller.inject('POST', BATCH, { headers: NDJSON, payload })).statusCode, 403);
	const entries = await rooms.database.knex('audit').where({ action: 'card.batch' });
	t.deepEqual(
		entries.map(({ details }) => JSON.parse(details)),
		[{ cards: 2, isWhole: true, refused: 1 }],
	);
});

test('shapes §11: bad parameters of a batch are a 400 before anything is stored', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const refused = async (query: string, headers: Record<string, string>, status: number) => {
		const response = await caller.inject('POST', `${BATCH}${query}`, { headers, payload: ndjson([card()]) });
		t.is(response.statusCode, status, query);
	};
	await refused('?merchantId=nobody', NDJSON, 400);
	await refused(`?ref=${VISA}`, NDJSON, 400);
	await refused('?eliminateCardDuplication=maybe', NDJSON, 400);
	await refused('?saveCVV=true', NDJSON, 401);
	await refused('', { 'content-type': 'application/xml' }, 400);
	t.is((await rooms.database.knex('pages')).length, 0);
	const poor = await rooms.createCaller('poor', { permissions: ['Relay'] });
	const response = await poor.inject('POST', BATCH, { headers: NDJSON, payload: ndjson([card()]) });
	t.is(response.statusCode, 403);
	t.true(response.payload.includes('Permission Tokenize is required'));
});

test('shapes §3: a card is answered while the body is still open', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const request = await openRequest(t, rooms, caller);
	request.write(ndjson([card()]));
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const nextLine = lineReader(response);
	const first: Line = JSON.parse(await nextLine());
	t.truthy(await rooms.vault.find(caller.account.id, first.token as never));
	request.write(ndjson([card({ Number: '1' })]));
	t.like(JSON.parse(await nextLine()), { index: 1, error: 'Number has less than 12 digits' });
	request.end(ndjson([card()]));
	t.like(JSON.parse(await nextLine()), { index: 2, error: null });
	t.is(await nextLine(), undefined as never);
});

test('shapes §3: what was answered stays when the client goes away, and nothing else does', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const request = await openRequest(t, rooms, caller);
	request.write(ndjson([card(), card()]));
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const nextLine = lineReader(response);
	const tokens = [JSON.parse(await nextLine()).token, JSON.parse(await nextLine()).token];
	request.write(JSON.stringify(card()).slice(0, 20));
	response.on('error', () => {});
	request.destroy();
	for (let i = 0; (await rooms.database.knex('audit').where({ action: 'card.batch' })).length === 0; i++) {
		if (i > 100) return t.fail('the batch never ended');
		await sleep(20);
	}
	for (const token of tokens) t.truthy(await rooms.vault.find(caller.account.id, token));
	const [{ details }] = await rooms.database.knex('audit').where({ action: 'card.batch' });
	t.deepEqual(JSON.parse(details), { cards: 2, isWhole: false, refused: 0 });
	t.is((await rooms.database.knex('page_blocks')).length, 0);
});

test('shapes §3: a client that stops reading stops the source', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const request = await openRequest(t, rooms, caller);
	const piece = ndjson(Array.from({ length: 2000 }, () => card()));
	let sent = 0;
	let isStuck = false;
	const [response] = (await Promise.all([
		once(request, 'response').then(([first]) => {
			first.pause();
			return first;
		}),
		(async () => {
			// The kernel's buffers hold a few MiB, the daemon two groups of lines.
			while (sent < 400 && !isStuck) {
				sent++;
				if (request.write(piece)) continue;
				const drained = await Promise.race([once(request, 'drain'), sleep(1500, null)]);
				isStuck = drained === null;
			}
		})(),
	])) as [IncomingMessage, undefined];
	t.true(isStuck, `${sent} pieces of ${piece.length} bytes were taken`);
	request.end();
	let lines = 0;
	for await (const chunk of response) for (const byte of chunk as Buffer) if (byte === 10) lines++;
	t.is(lines, sent * 2000);
});
