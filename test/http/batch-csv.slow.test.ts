import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { AnswerRows } from '../../src/work/batch/answer-rows.ts';
import { CsvCards } from '../../src/work/batch/csv-cards.ts';
import { BATCH, card, linesOf, ndjson } from '../helpers/batch-calls.ts';
import { VISA } from '../helpers/card-calls.ts';
import { dialects } from '../helpers/database.ts';
import { type Caller, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';

const CSV = { 'content-type': 'text/csv' };
const AMEX = '378282246310005';

const post = (caller: Caller, payload: string | Buffer, headers: Record<string, string> = CSV, query = '') =>
	caller.inject('POST', BATCH + query, { headers, payload });

for (const dialect of dialects) {
	test(`shapes §3: every row of CSV gets a line, which names line and field of what is refused (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency', { cvvRetention: true });
		const rows = [
			'Card No.;Gültig bis;Prüfziffer;Kartenart;Karteninhaber;Card Reference;Buchung',
			`${VISA};12/29;123;Visa;"Zoë; Ängström";first;B-1`,
			`4111 1111 1111 1111;Dez 29;;;;;`,
			'4111111111111112;12/29;;Visa;;;',
			`${VISA};01/20;;Visa;;;`,
			`${VISA};;;Visa;;;`,
			`${VISA};12/29;12;Visa;;;`,
			`${VISA};12/29`,
			`"${VISA}";12/29;;"Vi\r\nsa";${VISA};;`,
			';12/29;;Visa;;;',
			`${AMEX};2029-12;1234;Visa;;${AMEX};`,
			`${'4'.repeat(23)};12/29;;Visa;;;`,
			`${AMEX};2029-12;****;Amex;;second;`,
		];
		const response = await post(caller, `\ufeff${rows.join('\r\n')}`);
		t.is(response.statusCode, 200, response.payload);
		t.regex(String(response.headers['content-type']), /^application\/x-ndjson/);
		const lines = linesOf(response.payload);
		t.deepEqual(
			lines.map(({ index, token, error, warning }) => [index, error ?? token?.length, warning]),
			[
				[0, 32, null],
				[1, 32, 'The Card type is missing'],
				[2, 'line 4, CardNumber: Luhn (Mod10) error', null],
				[3, 'line 5, ExpirationDate: Expired card', null],
				[4, 'line 6, ExpirationDate: is required', null],
				[5, 'line 7, CVV: CVV must be 3 or 4 digits', null],
				[6, 'line 8: expected 7 columns, as the header row has', null],
				[7, 'line 9, NameOnCard: looks like a card number', null],
				[8, 'line 11, CardNumber: is required', null],
				[9, 'line 12, Reference: looks like a card number', null],
				[10, 'line 13, CardNumber: Number is longer than 22 chars', null],
				[11, 32, null],
			],
		);
		const found = async (index: number) =>
			(await parts.vault.find(caller.account.id, lines[index].token as never))!.record;
		t.is((await found(0)).name?.toString(), 'Zoë; Ängström');
		t.deepEqual([(await found(1)).digits.toString(), (await found(1)).expiry], [VISA, 202912]);
		const references = await parts.database.knex('token_refs').orderBy('reference').pluck('reference');
		t.deepEqual(references, ['first', 'second']);
		t.is((await parts.database.knex('cvvs')).length, 1, 'stars are no CVV');
		for (const number of [VISA, AMEX]) t.false((response.payload + parts.logText()).includes(number));
		t.is((await parts.database.knex('page_blocks')).length, 0);
	});
}

test('shapes §3: a batch is answered as CSV where the caller accepts that, whatever it is written in', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const accept = 'text/csv,application/x-ndjson';
	const bodies = [
		[CSV, `number,expiry\n${VISA},12/29\n${VISA},13/29\n`, 'line 3, ExpirationDate: Expiration date is not readable'],
		[{ 'content-type': 'application/json' }, JSON.stringify([card(), { BankCard: { Number: VISA } }]), 'BankCard.Exp'],
	] as const;
	for (const [headers, payload, error] of bodies) {
		const response = await post(caller, payload, { ...headers, accept });
		t.regex(String(response.headers['content-type']), /^text\/csv/);
		const [head, first, second] = response.payload.split('\r\n');
		t.is(head, 'index,token,uri,error,warning');
		t.regex(first, new RegExp(`^0,([0-9a-f]{32}),${TEST_BASE_URL}/api/payments/paycard/\\1,,`));
		t.true(second.includes(error), second);
	}
	const lines = await post(caller, ndjson([card()]), { 'content-type': 'application/x-ndjson', accept: '*/*' });
	t.is(linesOf(lines.payload).length, 1);
});

const refusedHeader = test.macro({
	async exec(t: ExecutionContext, header: string, problem: RegExp) {
		const parts = await openHttpApp(t);
		const caller = await parts.createCaller('agency');
		const response = await post(caller, `${header}\n${VISA},12/29,123\n`, { ...CSV, accept: 'application/json' });
		t.is(response.statusCode, 400, response.payload);
		t.regex(response.json().moreInfo, problem);
		t.false(response.payload.includes(VISA));
		t.is((await parts.database.knex('pages')).length, 0);
	},
	title: (_, header) => `shapes §3: a header row that does not say where a card is, is refused: ${header}`,
});

test(refusedHeader, 'a,b,c', /^header row: expected a column CardNumber$/);
test(refusedHeader, 'Card Number,CVV,Loyalty Card Number', /expected a column ExpirationDate, or ExpirationMonth and/);
test(refusedHeader, 'Card Number,Expiry,Card No.', /one column CardNumber, but columns 1 and 3 are named so/);
test(refusedHeader, `${VISA},12/29,123`, /expected a column CardNumber/);

test('shapes §3: CSV that breaks is stored up to there, and the last line says where', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const good = `number,expiry,name\n${VISA},12/29,"A\nB"\n`;
	for (const [tail, problem] of [
		[`${VISA},12/29,"C" D\n${VISA},12/29,E\n`, 'body: a quote stands within a cell, in the row at line 4'],
		[`${VISA},12/29,"C\n${VISA},12/29,D\n`, 'body: a quote is not closed in the row at line 4'],
		[`${VISA},12/29,${'x'.repeat(70_000)}\n`, 'body: a row is longer than 65536 bytes at line 4'],
	]) {
		const lines = linesOf((await post(caller, good + tail)).payload);
		t.deepEqual(
			lines.map(({ error }) => error),
			[null, problem],
		);
		t.truthy(await parts.vault.find(caller.account.id, lines[0].token as never));
	}
	t.is((await post(caller, '')).payload, '');
	t.is((await post(caller, 'number,expiry\n')).payload, '');
});

test('shapes §3: cards of CSV that the account has get the token it has, with their reference', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const body = `number,expiry,card reference\n${VISA},12/29,one\n${VISA},12/29,two\n`;
	const tokens = async () =>
		linesOf((await post(caller, body, CSV, '?eliminateCardDuplication=true')).payload).map(({ token }) => token);
	const [first, second] = await tokens();
	t.is(first, second);
	t.deepEqual(await tokens(), [first, first]);
	const references = await parts.database.knex('token_refs').orderBy('reference').pluck('reference');
	t.deepEqual(references, ['one', 'two']);
});

const text = fc.string({ unit: fc.constantFrom(...'aé"\n\r,; \t'), maxLength: 6 });

test('rows of CSV are read with their line, whatever stands in them and however they are cut', async (t) => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(fc.boolean(), text), { maxLength: 12 }),
			fc.constantFrom(',', ';', '\t', '|'),
			fc.constantFrom('\n', '\r\n'),
			fc.constantFrom('', '\ufeff'),
			fc.array(fc.nat(300), { maxLength: 6 }),
			async (rows, delimiter, end, mark, cuts) => {
				const options = { delimiter, record_delimiter: end };
				const written = rows.map(([isGood, name]) => stringify([[isGood ? VISA : '1', '12/29', name]], options));
				const body = Buffer.from(`${mark}number${delimiter}expiry${delimiter}card name${end}${written.join('')}`);
				const cards = new CsvCards(new Date('2026-01-01'));
				const seen: [string | undefined, number | undefined][] = [];
				const read = async (piece: Buffer | null) => {
					await cards.feed(piece);
					while (cards.next()) {
						const line = /^line (\d+), CardNumber/.exec(cards.card.error ?? '')?.[1];
						seen.push([cards.card.fields?.name?.toString(), line === undefined ? undefined : Number(line)]);
					}
					cards.forget();
				};
				let at = 0;
				for (const cut of [...cuts.toSorted((a, b) => a - b), body.length]) {
					await read(body.subarray(at, Math.max(at, Math.min(cut, body.length))));
					at = Math.max(at, Math.min(cut, body.length));
				}
				await read(null);
				let line = 2;
				const expected = rows.map(([isGood, name], index) => {
					const here = line;
					line += written[index].split(/\r\n|\n|\r/).length - 1;
					return isGood ? [name.trim() || undefined, undefined] : [undefined, here];
				});
				t.deepEqual(seen, expected as never);
			},
		),
		{ numRuns: 300 },
	);
});

test('an answer in CSV begins no cell like a formula', async (t) => {
	const signs = ['=', '+', '-', '@', '\t', '\r'];
	const rows = new AnswerRows('=1+1/');
	for (const [index, sign] of signs.entries()) rows.addError(index, `${sign}1+1`);
	rows.addToken(signs.length, Buffer.alloc(16, 0xee), 0, '@SUM(1)');
	const answer: Record<string, string>[] = parse(rows.take(), { columns: true });
	t.deepEqual(
		answer.map(({ error }) => error),
		[...signs.map((sign) => `'${sign}1+1`), ''],
	);
	t.deepEqual([answer.at(-1)?.uri.slice(0, 4), answer.at(-1)?.warning], ["'=1+", "'@SUM(1)"]);
	t.is(answer.at(-1)?.token, 'ee'.repeat(16), 'a token stays as it is');

	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const bodies = signs.map((sign) => [`"${sign}1"`, '12/29', `"${sign}Visa"`, `"${sign}A B"`, `"${sign}R"`].join(','));
	const good = signs.map((sign) => [VISA, '12/29', `"${sign}Visa"`, `"${sign}A B"`, `"${sign}R"`].join(','));
	const payload = ['number,expiry,card type,name,reference', ...bodies, ...good].join('\n');
	const { payload: answered } = await post(caller, payload, { ...CSV, accept: 'text/csv' });
	const cells: string[][] = parse(answered);
	t.is(cells.length, 1 + 2 * signs.length);
	for (const cell of cells.flat()) t.notRegex(cell, /^[=+\-@\t\r]/);
});
