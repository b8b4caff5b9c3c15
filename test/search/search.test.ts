// Checks what one typed text finds in an account, and that a card number reaches no query.

import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { openCallLog } from '../../src/doors/http/server/call-log.ts';
import { openSearch } from '../../src/work/search/search.ts';
import { readTyped, SEARCH_KINDS, type SearchKind } from '../../src/work/search/typed-text.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const ALL: ReadonlySet<SearchKind> = new Set(SEARCH_KINDS);

async function open(t: ExecutionContext<unknown>, dialect: Dialect) {
	const parts = await openPortalApp(t, dialect);
	const { caller, viewer } = await parts.signIn('manager', { name: 'maria@agency.example' });
	const { caller: other } = await parts.signIn('clerk', { account: 'hotel', name: 'mario@hotel.example' });
	const calls = openCallLog(parts);
	t.teardown(() => calls.close());
	const search = openSearch({ ...parts, users: parts.portal.users, calls });
	const searcher = { principal: viewer.principal!, may: ALL };
	return {
		parts,
		calls,
		search,
		agency: caller!,
		other: other!,
		searcher,
		find: (text: string) => search.find(searcher, text),
	};
}

for (const dialect of databases) {
	test(`${dialect}: everything of an account is found by kind, and nothing of another`, async (t) => {
		const { parts, find, agency, other, calls } = await open(t, dialect);
		const token = await storeCard(agency, '?ref=Booking-77');
		await storeCard(agency, '?ref=Booking-78', { Number: '5555555555554444', Type: 'MasterCard' });
		await storeCard(agency, '?ref=booking-79');
		const foreign = await storeCard(other, '?ref=Booking-77');
		await storeCard(other, '', { Number: '4012888888881881' });
		t.like((await find(token.toUpperCase())).token, { items: [{ token, reference: 'Booking-77' }], hasMore: false });
		t.deepEqual((await find(foreign)).token, { items: [], hasMore: false });
		const references = async (text: string) => (await find(text)).reference!.items.map(({ reference }) => reference);
		t.deepEqual(await references('Booking-7'), ['Booking-77', 'Booking-78']);
		t.deepEqual(await references('  booking'), ['booking-79']);
		t.deepEqual(await references('Booking-7%'), []);
		const lastFour = async (text: string) => (await find(text)).lastFour?.items.map(({ cardType }) => cardType);
		t.deepEqual(await lastFour('1111'), ['Visa', 'Visa']);
		t.deepEqual(await lastFour('visa •••• 1111'), ['Visa', 'Visa']);
		t.deepEqual(await lastFour('4444 Master'), ['MasterCard']);
		t.deepEqual(await lastFour('Visa 4444'), []);
		t.deepEqual(await lastFour('1881'), []);
		t.is(await lastFour('nobank 1111'), undefined);
		t.like((await find('1111')).lastFour, { hasMore: false, next: undefined, reached: undefined });
		for (const [caller, id] of [
			[agency, 'call-of-ours'],
			[other, 'call-of-theirs'],
		] as const) {
			const call = {
				method: 'GET',
				route: '/x',
				status: 200,
				outcome: 'complete',
				message: null,
				moreInfo: null,
			} as const;
			const uuid = `00000000-0000-4000-8000-${id === 'call-of-ours' ? 'a' : 'b'}00000000000`;
			calls.note(caller.account.id, { ...call, id: uuid, credential: null });
		}
		t.is((await find('00000000-0000-4000-8000-A00000000000')).call?.items[0].route, '/x');
		t.deepEqual((await find('00000000-0000-4000-8000-b00000000000')).call?.items, []);
		t.is((await find('maria@AGENCY')).person?.items[0].name, 'maria@agency.example');
		t.deepEqual((await find('mario')).person?.items, []);
		await parts.database.knex('jobs').insert(
			Array.from({ length: 8 }, (_, n) => ({
				id: `01m8grxzt70bddkx4mphf5jx${n}n`,
				account_id: n === 7 ? other.account.id : agency.account.id,
				...{
					operation: 'tokenize',
					filter: 'GBT',
					name: n === 0 ? 'may.csv' : 'June 1.csv',
					state: 'done',
					input_id: 0,
				},
				...{
					attempts: 1,
					next_run_at: 0,
					bytes_read: 0,
					bytes_total: 0,
					cards: 0,
					refused: 0,
					warned: 0,
					created_at: n,
				},
			})),
		);
		t.deepEqual(
			(await find('may.')).file?.items.map(({ name }) => name),
			['may.csv'],
		);
		const june = (await find('June')).file!;
		t.deepEqual([june.items.length, june.hasMore, june.items[0].created_at], [5, true, 6]);
		t.deepEqual(
			(await find('01M8GRXZT70BDDKX4MPHF5JX0N')).job?.items.map(({ name }) => name),
			['may.csv'],
		);
		t.deepEqual((await find('01m8grxzt70')).job?.items.length, 5);
		t.deepEqual((await find('01m8grxzt70bddkx4mphf5jx7n')).job?.items, []);
	});

	test(`${dialect}: a card number is refused before any query, in any spelling`, async (t) => {
		const { parts, find } = await open(t, dialect);
		const statements: unknown[] = [];
		parts.database.knex.on('query', (query: unknown) => statements.push(query));
		for (const text of [
			'4111111111111111',
			'4111 1111 1111 1111',
			'visa 4111-1111-1111-1111',
			'of 4111.1111.1111.1111!',
		]) {
			const error = await t.throwsAsync(find(text), { name: 'ServiceError' });
			t.notRegex(`${error!.message}${JSON.stringify(error)}`, /4111/);
		}
		for (const text of ['', '  ', 'a\0b', '\ud800', 'x'.repeat(256)]) t.deepEqual(await find(text), {});
		t.deepEqual(statements, []);
	});

	test(`${dialect}: only kinds that the searcher may see are looked for`, async (t) => {
		const { search, searcher, agency } = await open(t, dialect);
		await storeCard(agency, '?ref=maria-1');
		const found = await search.find({ ...searcher, may: new Set(['person']) }, 'maria');
		t.deepEqual(Object.keys(found), ['person']);
		t.is(found.person!.items.length, 1);
	});
}

test('a text is read by its form', (t) => {
	const kinds = (text: string) =>
		Object.keys(readTyped(text) ?? {}).filter((kind) => readTyped(text)![kind as 'text'] !== undefined);
	t.deepEqual(kinds('may.csv'), ['text']);
	t.deepEqual(kinds('1111'), ['text', 'lastFour']);
	t.deepEqual(readTyped('visa1111')?.lastFour, { lastDigits: '1111', type: 19 });
	t.deepEqual(readTyped('**** 1111')?.lastFour, { lastDigits: '1111' });
	t.is(readTyped('1111 2222')?.lastFour, undefined);
	t.is(readTyped('visa 1111 amex')?.lastFour, undefined);
	t.deepEqual(kinds('a054d362051545afd3f6f25107776579'), ['text', 'token']);
	t.deepEqual(kinds('01m8grxzt7'), ['text', 'jobId']);
	t.deepEqual(kinds('00000000-0000-4000-8000-b00000000000'), ['text', 'callId']);
});

test('no typed text keeps the thread from others, and dots, stars and brands are read as people write them', async (t) => {
	const type = { Visa: 19 } as const;
	for (const text of [
		'Visa xxxx xxxx xxxx 1111',
		'visa xxxxxxxxxxxx1111',
		'visa****1111',
		'•••• •••• •••• 1111 Visa',
		'Visa · 1111',
	])
		t.deepEqual(readTyped(text)?.lastFour, { lastDigits: '1111', type: type.Visa }, text);
	t.deepEqual(readTyped('xxxxxxxxxxxx1111')?.lastFour, { lastDigits: '1111' });
	t.is(readTyped('x x x x x 1111')?.lastFour, undefined, 'more groups than a number has');
	for (const text of [
		'x'.repeat(60),
		'x'.repeat(255),
		'x '.repeat(127),
		`visa${' '.repeat(250)}!`,
		`1111${' a'.repeat(120)}!`,
		'* '.repeat(127),
	]) {
		const turn = await bestTurn(async () => void t.is(readTyped(text)?.lastFour, undefined));
		t.true(turn < MAX_TURN_MS, `${text.slice(0, 8)}: ${turn.toFixed()} ms`);
	}
});
