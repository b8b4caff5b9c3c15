// Checks what stands in for a missing CVV or expiry, and CVVs without their leading zeros, in every format with fields.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import { PLACEHOLDER_WORDS } from '../../src/base/card/names/placeholders.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { Format } from '../../src/engine/format.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005', '6011111111111117'];
const words = Object.values(PLACEHOLDER_WORDS).flatMap((list) => list.split(',').map((word) => word.trim()));
const SIGNS = ['-', '--', '---', '?', '***', 'XXX', '#N/A', "'-'", '.', 'n. a.', '<null>', '(none)', '\\N', '0', '00'];
const NO_DATES = ['000', '0000', '00/00', '00/0000', '0000-00', 'XX/XX', '--/--', '9999', '0001-01-01T00:00:00'];

interface Card {
	readonly number: string;
	readonly cvv: string;
	readonly expiry: readonly [string] | readonly [month: string, year: string];
	/** How its fields are written: with blanks around them, in quotes or with escapes. */
	readonly style: 'plain' | 'blanks' | 'quoted' | 'escaped';
}

type Write = (cards: readonly Card[], hasMonths: boolean) => string;

/** Tells whether a text is never written with escapes, because the stars in its place would not show how it was spelled. */
const isPlain = (text: string) => /^[\d/]+$|^[*]+$|^#$/.test(text);
const styled = (text: string, style: Card['style']) => (style === 'blanks' ? `  ${text} ` : text);

/** Writes rows. A placeholder with a quote or a backslash in it is not put in quotes, where it would be an escape. */
const rows =
	(delimiter: string, names: readonly string[]): Write =>
	(cards, hasMonths) => {
		const cell = (text: string, style: Card['style']) => {
			const value = styled(text, style);
			return style === 'quoted' || style === 'escaped' ? `"${value}"` : value;
		};
		const [number, expiry, month, year, cvv] = names;
		const header = [number, ...(hasMonths ? [month, year] : [expiry]), cvv].join(delimiter);
		const lines = cards.map(({ style, ...card }) =>
			[card.number, ...card.expiry, card.cvv].map((text) => cell(text, style)).join(delimiter),
		);
		return `${[header, ...lines].join('\r\n')}\r\n`;
	};

const json: Write = (cards) => {
	const value = (text: string, style: Card['style']) => {
		if (style === 'plain' && /^(?:0|[1-9]\d*)$/.test(text) && text.length < 16) return text;
		if (style !== 'escaped' || isPlain(text)) return JSON.stringify(styled(text, style));
		return `"${[...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
	};
	const fields = ({ number, cvv, expiry, style }: Card) => [
		`"cardNumber":"${number}"`,
		...(expiry.length === 1
			? [`"expirationDate":${value(expiry[0], style)}`]
			: [`"expirationMonth":${value(expiry[0], style)}`, `"expirationYear":${value(expiry[1], style)}`]),
		`"cvv":${value(cvv, style)}`,
	];
	return `[${cards.map((card) => `{${fields(card).join(', ')}}`).join(',\n')}]`;
};

const xml: Write = (cards) => {
	const value = (text: string, style: Card['style']) => {
		if (style === 'escaped' && !isPlain(text)) return [...text].map((each) => `&#${each.codePointAt(0)};`).join('');
		return styled(text.replace(/&/g, '&amp;').replace(/</g, '&lt;'), style);
	};
	const fields = ({ number, cvv, expiry, style }: Card) => {
		const [first, second] = expiry.map((text) => value(text, style));
		const date = second === undefined ? first : `<Month>${first}</Month><Year>${second}</Year>`;
		return `<CardNumber>${number}</CardNumber><ExpirationDate>${date}</ExpirationDate><CVV>${value(cvv, style)}</CVV>`;
	};
	return `<T>\n${cards.map((card) => `<PaymentCard>${fields(card)}</PaymentCard>`).join('\n')}\n</T>`;
};

const CARD_NAMES = ['Card Number', 'Card Expiry Date', 'Card Expiry Month', 'Card Expiry Year', 'CVV'];
const WRITERS: Readonly<Record<string, Write>> = {
	CSV: rows(';', CARD_NAMES),
	GBT: rows(',', CARD_NAMES),
	SIMPLECSV: rows(',', ['CardNumber', 'ExpirationDate', 'ExpirationMonth', 'ExpirationYear', 'CVV']),
	SIMPLEJSON: json,
	TADC: xml,
};

const placeholders = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...SIGNS));
const cards = (hasMonths: boolean) =>
	fc.array(
		fc.record<Card>({
			number: fc.constantFrom(...NUMBERS),
			cvv: fc.oneof(placeholders, fc.constantFrom('12', '7', '09', '123', '000', '0123')),
			expiry: hasMonths
				? fc.oneof(
						placeholders.map((each) => [each, each] as const),
						fc.constantFrom(
							...([
								['12', '2029'],
								['0', '0'],
								['00', '0000'],
								['XX', 'XXXX'],
							] as const),
						),
					)
				: fc.oneof(placeholders, fc.constantFrom(...NO_DATES, '12/29')).map((each) => [each] as const),
			style: fc.constantFrom('plain', 'blanks', 'quoted', 'escaped'),
		}),
		{ minLength: 1, maxLength: 12 },
	);

const TOKEN = /\b[0-9a-f]{32}\b/g;

const isCode = (cvv: string) => /^\d+$/.test(cvv) && !/^0{1,2}$/.test(cvv);

/** Returns the cards as they stand in the output, with `#` for each token. */
function hidden(list: readonly Card[]): Card[] {
	return list.map((card) => ({
		...card,
		number: '#',
		cvv: isCode(card.cvv) ? '*'.repeat(card.cvv.length) : card.cvv,
	}));
}

for (const [filter, write] of Object.entries(WRITERS)) {
	for (const hasMonths of [false, true]) {
		const what = hasMonths ? 'month and year' : 'expiry';
		test(`${filter}: placeholders for a CVV, and for ${what}, stay beside a token, and every byte comes back`, async (t) => {
			const parts = await openVaultParts(t);
			const engine = parts.engine(all);
			const run = async (direction: 'tokenize' | 'detokenize', bytes: Buffer, accountId: number, size: number) =>
				swap(parts, engine, {
					...{ filter, direction, bytes, accountId, chunkSizes: [size] },
					...(direction === 'tokenize' && { options: { onRefused: 'reject' } }),
				});
			const property = fc.asyncProperty(cards(hasMonths), fc.constantFrom(7, 65_536), async (list, size) => {
				const input = Buffer.from(write(list, hasMonths));
				const expected = write(hidden(list), hasMonths);
				const there = await run('tokenize', input, 1, size);
				t.is(there.bytes.toString().replace(TOKEN, '#'), expected);
				t.is(there.summary.cards, list.length);
				const short = list.filter(({ cvv }) => /^\d{1,2}$/.test(cvv) && /[1-9]/.test(cvv)).length;
				const told = there.summary.notices.filter((notice) => notice.includes('leading zeros'));
				t.deepEqual(
					told.map((notice) => /\d+$/.exec(notice)?.[0]),
					short > 0 ? [String(short)] : [],
				);
				t.deepEqual((await run('tokenize', there.bytes, 1, size)).bytes, there.bytes);
				t.is((await run('detokenize', there.bytes, 1, size)).bytes.toString(), input.toString());
				// Account 2 keeps no CVVs, so they come back as stars.
				const starred = await run('tokenize', input, 2, size);
				const back = (await run('detokenize', starred.bytes, 2, size)).bytes.toString();
				t.is(back.replace(new RegExp(NUMBERS.join('|'), 'g'), '#'), expected);
			});
			await fc.assert(property, { numRuns: 25 });
		});
	}
}

test('a kept CVV has the zeros that the file lacks: three digits, and four for American Express', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const bytes = Buffer.from(
		'[{"cardNumber":"4111111111111111","cvv":12},{"cardNumber":"378282246310005","cvv":7},{"cardNumber":"378282246310005","cvv":"129"}]',
	);
	const there = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes });
	const kept: string[] = [];
	for (const [token] of there.bytes.toString().matchAll(TOKEN)) {
		const card = await parts.vault.find(1 as AccountId, token as Token);
		const cvv = await parts.vault.cvvs.use(card!, { type: 'HostName', data: 'pay.example' });
		kept.push(cvv!.digits.toString());
	}
	t.deepEqual(kept, ['012', '0007', '129']);
});

test('a refused card keeps its placeholder when it is masked, and a CVV of one digit becomes a star', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from('CardNumber,ExpirationDate,CVV\n4111111111111112,12/29,N/A\n4111111111111112,12/29,7\n');
	const request = { filter: 'SIMPLECSV', direction: 'tokenize', bytes, options: { onRefused: 'mask' } } as const;
	const { bytes: out, summary } = await swap(parts, parts.engine(all), request);
	t.is(out.toString(), 'CardNumber,ExpirationDate,CVV\n411111******1112,12/29,N/A\n411111******1112,12/29,*\n');
	t.deepEqual(
		summary.notices.filter((notice) => notice.includes('zeros')),
		[],
	);
});

test('a CVV of one or two digits beside a token or a masked number is told as one in clear', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const run = (filter: string, text: string, otherNumbers: string) =>
		swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text), options: { otherNumbers } });
	const csv = 'CardNumber,ExpirationDate,CVV\n411111******1111,12/29,12\n411111******1111,12/29,N/A\n';
	t.is((await run('SIMPLECSV', csv, 'report')).summary.otherCodes, 1);
	t.is((await run('SIMPLECSV', csv, 'mask')).bytes.toString(), csv.replace(',12\n', ',**\n'));
	const json = '[{"cardNumber":"411111******1111","cvv":12},{"cardNumber":"411111******1111","cvv":"N/A"}]';
	t.is((await run('SIMPLEJSON', json, 'report')).summary.otherCodes, 1);
	t.is((await run('SIMPLEJSON', json, 'mask')).bytes.toString(), json.replace('"cvv":12', '"cvv":"**"'));
});

test('a CVV of two digits is read inside the field of a CVV, and a single digit there is left alone', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	for (const [filter, text] of [
		['SIMPLEJSON', '{"cardNumber":"4111111111111111","cvv":{"N":"12"}}'],
		['SIMPLEJSON', '{"cardNumber":"4111111111111111","cvv":{"$numberInt":"12"}}'],
		['SIMPLEJSON', '{"cardNumber":"4111111111111111","cvv":{"present":1}}'],
		[
			'TADC',
			'<T><PaymentCard><CardNumber>4111111111111111</CardNumber><CVV><Digits>12</Digits></CVV></PaymentCard></T>',
		],
		['TADC', '<T><PaymentCard><CardNumber>4111111111111111</CardNumber><CVV given="1"/></PaymentCard></T>'],
	] as const) {
		const there = await swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text) });
		t.is(there.bytes.toString().replace(TOKEN, '#'), text.replace(/4{1}1{15}/, '#').replace(/\b12\b/, '**'));
		const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.is(back.bytes.toString(), text);
	}
});

test('a placeholder inside a card leaves room for the CVV and the expiry around it', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const run = (filter: string, text: string) =>
		swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text), accountId: 2 });
	const json = await run(
		'SIMPLEJSON',
		'{"cvv":"123","card":{"number":"4111111111111111","cvv":"N/A","expiry":"12/29"}}',
	);
	t.is(json.bytes.toString().replace(TOKEN, '#'), '{"cvv":"***","card":{"number":"#","cvv":"N/A","expiry":"12/29"}}');
	for (const expiry of ['N/A', 'N\\/A', '0000']) {
		const pair = `"expirationDate":"${expiry}","expirationMonth":1,"expirationYear":2020`;
		const { entries } = await run('SIMPLEJSON', `{"cardNumber":"4111111111111111",${pair}}`);
		t.deepEqual(
			entries.map(({ reason }) => reason),
			['Expired card'],
		);
	}
});

test('an expiry that is neither a date nor a placeholder is still refused, and so is half of one', async (t) => {
	const parts = await openVaultParts(t);
	const csv =
		'CardNumber,ExpirationDate,CVV\n4111111111111111,soon,\n4111111111111111,12/XX,\n4111111111111111,13/29,\n';
	const request = { filter: 'SIMPLECSV', direction: 'tokenize', bytes: Buffer.from(csv) } as const;
	const { entries } = await swap(parts, parts.engine(all), request);
	t.deepEqual(
		entries.map(({ reason }) => reason),
		Array(3).fill('Expiration date is not readable'),
	);
});

test('zeros or nines behind a number on a line of AIR are no expiry', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const head = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\r\n'.replaceAll('\r', '');
	for (const expiry of ['/0000', '/00/00', 'D0000', ' EXP 0000', '/9999']) {
		const text = `${head}AMD 0100000001;1/1;              \n1A1200000;1A1200000\nMUC1A ABCDEF003;0101\nFPCCVI4111111111111111${expiry}\nENDX\n`;
		const request = { filter: 'AIR', direction: 'tokenize', bytes: Buffer.from(text) } as const;
		const { bytes, summary } = await swap(parts, engine, request);
		t.deepEqual([expiry, summary.cards], [expiry, 1]);
		t.is(bytes.toString().replace(/[0-9A-F]{32}/, '4111111111111111'), text);
	}
});
