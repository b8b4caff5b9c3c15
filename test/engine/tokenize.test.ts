// Checks what the options of accounts and folders change, and what is never written anywhere.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import { WARNINGS } from '../../src/base/card/verdict.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { OptionsError } from '../../src/engine/options.ts';
import type { ReportEntry } from '../../src/engine/report.ts';
import { findToken } from '../../src/vault/tokens/token.ts';
import { openVaultParts, type Swapped, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const HEAD = 'CardNumber,ExpirationDate,CVV,CardType,Reference\n';

async function run(t: Parameters<typeof openVaultParts>[0], rows: string, options: object = {}, accountId = 1) {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const request = { filter: 'SIMPLECSV', direction: 'tokenize' as const, options, accountId };
	const there = await swap(parts, engine, { ...request, bytes: Buffer.from(HEAD + rows) });
	return { parts, engine, there, request };
}

const cells = (result: Swapped) =>
	result.bytes
		.toString()
		.split('\n')
		.slice(1)
		.map((line) => line.split(','));

test('a refused card passes unchanged and is reported with its place, never its number', async (t) => {
	const { there } = await run(t, '4111111111111112,12/29,123,Visa,\n4111111111111111,01/20,,Visa,\n');
	t.is(there.bytes.toString(), `${HEAD}4111111111111112,12/29,123,Visa,\n4111111111111111,01/20,,Visa,\n`);
	t.deepEqual(there.entries, [
		{ record: 2, line: 2, offset: 49, outcome: 'refused', reason: 'Luhn (Mod10) error', lastFour: '1112' },
		{ record: 3, line: 3, offset: 82, outcome: 'refused', reason: 'Expired card', lastFour: '1111' },
	]);
	t.is(there.summary.refused, 2);
});

test('onRefused mask stars the middle and keeps grouping', async (t) => {
	const { there } = await run(t, '4111 1111 1111 1112,12/29,,Visa,\n41111111111,12/29,,Visa,\n', { onRefused: 'mask' });
	t.deepEqual(
		cells(there)
			.slice(0, 2)
			.map((row) => row[0]),
		['4111 11** **** 1112', '***********'],
	);
	const withCvv = await run(t, '4111111111111112,12/29,123,Visa,\n', { onRefused: 'mask' });
	t.deepEqual(cells(withCvv.there)[0].slice(0, 3), ['411111******1112', '12/29', '***']);
});

test('onRefused mask shows the ends of a number whatever escapes another field of its row has', async (t) => {
	const rows = '4111111111111112,12/29,,"V""I",\n"=""4111111111111112""",12/29,,Visa,\n';
	const { there } = await run(t, rows, { onRefused: 'mask' });
	t.deepEqual(
		cells(there)
			.slice(0, 2)
			.map((row) => row[0]),
		['411111******1112', '"=""411111******1112"""'],
	);
});

test('names and references that are no UTF-8 are kept as Windows-1252 reads them', async (t) => {
	const parts = await openVaultParts(t);
	const head = 'CardNumber,ExpirationDate,CardType,NameOnCard,Reference\n';
	const latin1 = Buffer.from(`${head}4111111111111111,12/29,Visa,M\xfcller \x80,K\xf6ln-1\n`, 'latin1');
	const utf8 = Buffer.from(
		`4111111111111111,12/29,Visa,Müller,Köln-2\n4111111111111111,12/29,Visa,x${'ü'.repeat(600)},\n`,
	);
	const request = { filter: 'SIMPLECSV', direction: 'tokenize' as const };
	const there = await swap(parts, parts.engine(all), { ...request, bytes: Buffer.concat([latin1, utf8]) });
	const kept = [];
	for (const [token] of cells(there).slice(0, 3)) {
		const metadata = await parts.vault.findMetadata(1 as AccountId, findToken(token)!);
		kept.push([metadata?.nameOnCard, metadata?.reference]);
	}
	t.deepEqual(kept, [
		['Müller €', 'Köln-1'],
		['Müller', 'Köln-2'],
		[null, null],
	]);
});

const NAMED = {
	SIMPLECSV: `CardNumber,ExpirationDate,CardType,NameOnCard\n4111111111111111,12/29,Visa,4111 1111 1111 1111\n`,
	GBT: `Record Type,Card Type,Card Number,Card Expiry Date,Name On Card\nD,VI,4111111111111111,12/29,4111-1111-1111-1111\n`,
	SIMPLEJSON:
		'[{"CardNumber":"4111111111111111","ExpirationDate":"12/29","CardType":"Visa","NameOnCard":"4\\u0031111111 11111111"}]',
	TADC: '<R><PaymentCard><CardType>VI</CardType><CardNumber>4111111111111111</CardNumber><ExpirationDate>1229</ExpirationDate><NameOnCard>4111&#46;1111.1111.1111</NameOnCard></PaymentCard></R>',
};
for (const [filter, file] of Object.entries(NAMED)) {
	test(`a holder's name that is a card number is not kept, and told once: ${filter}`, async (t) => {
		const parts = await openVaultParts(t);
		const options = { report: { cards: 'all' } };
		const request = { filter, direction: 'tokenize' as const, options, bytes: Buffer.from(file) };
		const { bytes, entries } = await swap(parts, parts.engine(all), request);
		t.deepEqual(
			entries.filter(({ outcome }) => outcome === 'tokenized').map(({ warnings }) => warnings),
			[[WARNINGS['name-unusable']]],
		);
		const [card] = await parts.vault.list(1 as AccountId, { from: 0, num: 10 });
		t.is(card.nameOnCard, null);
		t.is(bytes.toString().replace(card.token, '4111111111111111'), file, 'the name in the file stays');
	});
}

const typed = test.macro({
	async exec(t, filter: string, file: string) {
		const parts = await openVaultParts(t);
		const options = { report: { cards: 'all' } };
		const bytes = Buffer.from(file);
		const { entries } = await swap(parts, parts.engine(all), { filter, direction: 'tokenize', options, bytes });
		t.deepEqual(
			entries.map(({ outcome, warnings }) => [outcome, warnings]),
			[['tokenized', undefined]],
		);
	},
	title: (_, filter) => `a card type with escapes in it is read as what it means: ${filter}`,
});
test(typed, 'SIMPLEJSON', '{"cardNumber":"378282246310005","expirationDate":"12\\/29","cardType":"A\\u0058"}');
test(typed, 'TADC', '<a><Card CardNumber="378282246310005" ExpireDate="1229"><CardType>A&#88;</CardType></Card></a>');

test('onRefused mask shows no more of a number of any length, and the report nothing of one that is not read to its end', async (t) => {
	const long = '4111111111111112'.repeat(3);
	const rows = `${long},12/29,,Visa,\n4111 1111 1111 1112 1111 2222 3333,12/29,,Visa,\n`;
	const { there } = await run(t, rows, { onRefused: 'mask' });
	t.deepEqual(
		cells(there)
			.slice(0, 2)
			.map((row) => row[0]),
		[`411111${'*'.repeat(38)}1112`, '4111 11** **** **** **** **** 3333'],
	);
	t.deepEqual(
		there.entries.map(({ reason, lastFour }) => [reason, lastFour]),
		[
			['Number is longer than 22 chars', undefined],
			['Number is longer than 22 chars', undefined],
		],
	);
});

test('onRefused reject fails the whole file at the card', async (t) => {
	const error = await t.throwsAsync(run(t, '4111111111111112,12/29,,Visa,\n', { onRefused: 'reject' }), {
		instanceOf: FileError,
	});
	t.deepEqual(error.at, { offset: 49, line: 2, record: 2 });
	t.is(error.message, 'a card cannot be tokenized and this folder rejects such files: Luhn (Mod10) error');
});

test('onRefused reject names every place, wherever windows end, and neither stores nor writes what follows the first', async (t) => {
	const parts = await openVaultParts(t);
	const rows = ['4111111111111112,12/29', '4111111111111111,12/29', '4111111111111111,12/20', '5555555555554445,12/29'];
	const limits = { windowBytes: 64, maxRecordBytes: 1024 };
	const entries: ReportEntry[] = [];
	let written = '';
	const running = parts.engine(all, limits).run({
		...{
			pass: { id: '01rejected' as never, begunAt: 0 },
			accountId: 1 as AccountId,
			direction: 'tokenize',
			filter: 'SIMPLECSV',
		},
		options: { onRefused: 'reject', eliminateCardDuplication: true },
		source: (async function* () {
			for (const row of ['CardNumber,ExpirationDate', ...rows]) yield Buffer.from(`${row}\n`);
		})(),
		sink: { write: async (bytes) => void (written += bytes) },
		report: { entry: (entry) => void entries.push(entry) },
	});
	const error = await t.throwsAsync(running, { instanceOf: FileError });
	t.is(
		error.message,
		'3 cards cannot be tokenized and this folder rejects such files: Luhn (Mod10) error (2), Expired card (1); on lines 2, 4 and 5',
	);
	t.deepEqual(error.at, { offset: 26, line: 2, record: 2 });
	t.deepEqual(
		entries.map(({ line, offset, outcome }) => [line, offset, outcome]),
		[
			[2, 26, 'refused'],
			[4, 72, 'refused'],
			[5, 95, 'refused'],
		],
	);
	t.true('CardNumber,ExpirationDate\n'.startsWith(written));
	t.deepEqual(await parts.database.knex('pages'), []);
});

test('a warning that holds for many cards is counted once, with the first places', async (t) => {
	const { there } = await run(t, '4111111111111111,12/29,,,\n'.repeat(12));
	t.deepEqual(there.entries, []);
	t.is(there.summary.warned, 12);
	t.deepEqual(there.book.warnings, [
		{
			text: 'The Card type is missing',
			cards: 12,
			places: Array.from({ length: 10 }, (_, i) => ({ record: i + 2, line: i + 2, offset: 49 + 26 * i })),
		},
	]);
});

test('a file without a column for the type or the expiry is told so once, and its cards have no warning for it', async (t) => {
	const parts = await openVaultParts(t);
	const request = { filter: 'SIMPLECSV', direction: 'tokenize' as const };
	const swapped = (text: string, options: object = {}) =>
		swap(parts, parts.engine(all), { ...request, bytes: Buffer.from(text), options });
	const alone = await swapped(`CardNumber\n${'4111111111111111\n'.repeat(20)}`);
	t.deepEqual(alone.book.warnings, []);
	t.is(alone.summary.warned, 0);
	t.deepEqual(alone.summary.notices, [
		'The file has no column for the card type',
		'The file has no column for the expiration date',
	]);
	const all20 = await swapped(`CardNumber\n${'4111111111111111\n'.repeat(20)}`, { report: { cards: 'all' } });
	t.is(all20.entries.length, 20);
	t.true(all20.entries.every(({ warnings }) => warnings === undefined));
	const typed = await swapped('CardNumber,CardType\n4111111111111111,MasterCard\n');
	t.deepEqual(typed.summary.notices, ['The file has no column for the expiration date']);
	t.is(typed.book.warnings[0].text, 'Card type validation message');
	t.deepEqual((await swapped('CardNumber\n\n')).summary.notices, [], 'a file without a card lacks nothing');
});

test('a CVV becomes stars; it is kept only where the account is set up for it', async (t) => {
	const kept = await run(t, '4111111111111111,12/29,123,Visa,\n');
	t.is(cells(kept.there)[0][2], '***');
	t.is((await kept.parts.database.knex('cvvs')).length, 1);
	const dropped = await run(t, '4111111111111111,12/29,1234,Visa,\n', {}, 2);
	t.is(cells(dropped.there)[0][2], '****');
	t.deepEqual(await dropped.parts.database.knex('cvvs'), []);
	const declined = await run(t, '4111111111111111,12/29,123,Visa,\n', { saveCVV: false });
	t.deepEqual(await declined.parts.database.knex('cvvs'), []);
	await t.throwsAsync(run(t, '4111111111111111,12/29,123,Visa,\n', { saveCVV: true }, 2), {
		message: /not authorized to handle bank cards/,
	});
});

test('a kept CVV comes back once with the number, and then no more', async (t) => {
	const { parts, engine, there, request } = await run(t, '4111111111111111,12/29,123,Visa,\n');
	const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
	t.is(cells(back)[0][2], '123');
	const again = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
	t.deepEqual(cells(again)[0].slice(0, 3), ['4111111111111111', '12/29', '***']);
});

test('duplicate elimination gives one card one token, within a file and across files', async (t) => {
	const rows = '4111111111111111,12/29,,Visa,\n4111 1111 1111 1111,12/29,,Visa,\n4111111111111111,12/29,,Visa,\n';
	const options = { eliminateCardDuplication: true };
	const { parts, engine, there, request } = await run(t, rows, options);
	const tokens = cells(there).map((row) => row[0]);
	t.is(tokens[0], tokens[2]);
	t.not(tokens[0], tokens[1], 'another spelling must come back as it was written');
	const second = await swap(parts, engine, { ...request, bytes: Buffer.from(HEAD + rows) });
	t.deepEqual(second.bytes, there.bytes);
	const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: second.bytes });
	t.is(back.bytes.toString(), HEAD + rows);
});

test('a reference finds its token; one that may be a card number is not kept', async (t) => {
	const rows = '4111111111111111,12/29,,Visa,order-7\n5555555555554444,12/29,,MC,4111111111111111\n';
	const { parts, there } = await run(t, rows);
	const found = await parts.vault.list(1 as AccountId, { from: 0, num: 10, reference: 'order-7' });
	t.deepEqual(
		found.map((each) => each.token as string),
		[cells(there)[0][0]],
	);
	t.is((await parts.database.knex('token_refs')).length, 1);
	t.regex(there.book.warnings[0].text, /reference/);
});

test('a merchant named for the folder may use every card of the file', async (t) => {
	const { parts, engine, there, request } = await run(t, '4111111111111111,12/29,,Visa,\n', { merchantId: '2' });
	const theirs = { ...request, options: {}, accountId: 2, direction: 'detokenize' as const, bytes: there.bytes };
	const back = await swap(parts, engine, theirs);
	t.is(cells(back)[0][0], '4111111111111111');
});

test('somebody else gets his tokens back as they are, reported as not resolved', async (t) => {
	const { parts, engine, there, request } = await run(t, '4111111111111111,12/29,,Visa,\n');
	const theirs = { ...request, accountId: 2, direction: 'detokenize' as const, bytes: there.bytes };
	const back = await swap(parts, engine, theirs);
	t.deepEqual(back.bytes, there.bytes);
	t.is(back.summary.unresolved, 1);
	t.is(back.entries[0].outcome, 'unresolved');
});

test('a sub-user shares the cards of its parent', async (t) => {
	const { parts, engine, there, request } = await run(t, '4111111111111111,12/29,,Visa,\n', {}, 3);
	const back = await swap(parts, engine, { ...request, accountId: 1, direction: 'detokenize', bytes: there.bytes });
	t.is(cells(back)[0][0], '4111111111111111');
});

test('options that do not fit name the member', async (t) => {
	const error = await t.throwsAsync(run(t, '', { onRefused: 'explode', colour: 1 }), { instanceOf: OptionsError });
	t.true(error.problems.some((problem) => problem.startsWith('onRefused')));
	t.true(error.problems.some((problem) => problem.includes('colour')));
});

test('an attempt that is discarded leaves no row behind', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const pass = { id: '01abandoned' as never, begunAt: 0 };
	await engine.run({
		pass,
		accountId: 1 as AccountId,
		direction: 'tokenize',
		filter: 'SIMPLECSV',
		options: { eliminateCardDuplication: true, merchantId: '2' },
		source: (async function* () {
			yield Buffer.from(`${HEAD}4111111111111111,12/29,123,Visa,order-7\n`);
		})(),
		sink: { write: async () => {} },
		report: { entry: () => undefined },
	});
	t.is((await parts.database.knex('pages')).length, 1);
	await engine.discard(pass.id);
	for (const table of ['pages', 'page_blocks', 'token_refs', 'fingerprints', 'associations', 'cvvs']) {
		t.deepEqual(await parts.database.knex(table), [], table);
	}
});

test('a signed XML file is tokenized, and its report says that the signature waits', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const request = { filter: 'TADC', direction: 'tokenize' as const };
	const signed = '<a><ds:Signature xmlns:ds="x"><ds:SignedInfo/></ds:Signature></a>';
	const { bytes, summary } = await swap(parts, engine, { ...request, bytes: Buffer.from(signed) });
	t.is(bytes.toString(), signed);
	t.regex(summary.notices.join(), /XML signature/);
	const plain = await swap(parts, engine, { ...request, bytes: Buffer.from('<a><Signature/></a>') });
	t.deepEqual(plain.summary.notices, []);
});

test('spec §2.4: a name that is no type of ours counts as none, as over HTTP, and so do blanks', async (t) => {
	const types = ['Zorro', 'A type of more than twenty-four characters', 'Visa', '', '  '];
	const { there } = await run(t, types.map((type) => `4111111111111111,12/29,,${type},\n`).join(''));
	t.deepEqual(
		there.book.warnings.map(({ text, places }) => [text, places.map(({ line }) => line)]),
		[['The Card type is missing', [2, 3, 5, 6]]],
	);
});

test('a CVV comes back as it was spelled, with escapes, references, comments and without its zeros', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine([...formats.values()] as never);
	const json = (cvv: string) => `{"cardNumber":"4111111111111111","expirationDate":"12/29","cvv":${cvv}}`;
	const xml = (cvv: string) =>
		`<a><Card><CardNumber>4111111111111111</CardNumber><ExpireDate>1229</ExpireDate><CVV>${cvv}</CVV></Card></a>`;
	const spelled = [
		...['"\\u0031\\u0032\\u0033"', '"\\u00312\\u0033"', '" \\u0031\\u0032 "', '12', '123', '"\\u00201234"'].map(json),
		...['&#49;23', '&#x31;&#x0032;&#51;4', '1<!-- x -->23', '<![CDATA[123]]>', '1<![CDATA[2]]>3', '&#32;&#55; '].map(
			xml,
		),
	];
	for (const text of spelled) {
		const filter = text.startsWith('{') ? 'SIMPLEJSON' : 'TADC';
		const bytes = Buffer.from(text);
		const there = await swap(parts, engine, { filter, direction: 'tokenize', bytes });
		t.is(there.summary.cards, 1);
		t.notRegex(there.bytes.toString().replace(/[0-9a-f]{32}/, ''), /[1-7]23|&#|\\u|"cvv":1/, text);
		const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.is(back.bytes.toString(), text);
	}
	const long = xml(`12<!--${'x'.repeat(300)}-->3`);
	const there = await swap(parts, engine, { filter: 'TADC', direction: 'tokenize', bytes: Buffer.from(long) });
	const back = await swap(parts, engine, { filter: 'TADC', direction: 'detokenize', bytes: there.bytes });
	t.regex(back.bytes.toString(), /<CVV>\*{310}<\/CVV>/, 'a spelling of more than 255 bytes is not kept');
});
