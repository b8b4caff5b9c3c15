import test from 'ava';
import fc from 'fast-check';
import { BatchError } from '../../src/work/batch/batch-cards.ts';
import { ListCards } from '../../src/work/batch/list-cards.ts';

const VISA = '4111111111111111';
const NOW = new Date('2026-01-01');

interface Read {
	readonly number: string | undefined;
	readonly cvv: string | undefined;
	readonly reference: string | undefined;
	readonly error: string | null;
}

/** Reads a body that comes in pieces, and returns what is read of each card and the error that ends the reading. */
async function read(body: Buffer, sizes: readonly number[] = [body.length || 1]) {
	const cards = new ListCards(NOW);
	const found: Read[] = [];
	const take = async (piece: Buffer | null) => {
		await cards.feed(piece);
		while (cards.next()) {
			const { fields, cvv, reference, error } = cards.card;
			const text = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes).toString() : undefined);
			const number = text(fields?.digits.subarray(0, fields.digitCount));
			found.push({ number, cvv: text(cvv), reference, error });
		}
		cards.forget();
	};
	let failure: string | undefined;
	try {
		for (let at = 0, turn = 0; at < body.length; turn++) {
			const size = sizes[turn % sizes.length];
			await take(body.subarray(at, at + size));
			at += size;
		}
		await take(null);
	} catch (error) {
		if (!(error instanceof BatchError)) throw error;
		failure = error.message;
	}
	cards.wipe();
	return { found, failure };
}

const readJson = (value: unknown) => read(Buffer.from(JSON.stringify(value)));

test('the members of a card have the names of columns, nested or not, and numbers keep all digits', async (t) => {
	const { found, failure } = await readJson([
		{ cardNumber: VISA, expiry: '12/29', cvc: '123', 'Card Reference': 'one' },
		{ card: { number: Number(VISA), exp_month: 4, exp_year: 2029, cvc: null }, note: ['not', { read: 1 }] },
		{ BankCard: { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '123' } },
	]);
	t.is(failure, undefined);
	t.deepEqual(found, [
		{ number: VISA, cvv: '123', reference: 'one', error: null },
		{ number: VISA, cvv: undefined, reference: undefined, error: null },
		{ number: VISA, cvv: '123', reference: undefined, error: null },
	]);
	// Nineteen digits are more than a number in JavaScript holds.
	const long = await read(Buffer.from('[{"number":6304000000000000000,"expiry":"12/29"}]'));
	t.like(long.found[0], { number: '6304000000000000000', error: null });
});

test('an item that is no readable card is refused by its number, and the others are read', async (t) => {
	const good = { number: VISA, expiry: '12/29' };
	const { found, failure } = await read(
		Buffer.from(
			`[${JSON.stringify(good)}, 7, {"number":"4111111111111112","expiry":"12/29"}, {"expiry":"12/29"},
			{"number":"${VISA}"}, {"pan":"${VISA}","pan":"4242424242424242","expiry":"12/29"}, [], ${JSON.stringify(good)}]`,
		),
	);
	t.is(failure, undefined);
	t.deepEqual(
		found.map(({ error }) => error),
		[
			null,
			'item 2: expected an object with the members of a card',
			'item 3, CardNumber: Luhn (Mod10) error',
			'item 4: expected a member CardNumber',
			'item 5: expected a member ExpirationDate, or ExpirationMonth and ExpirationYear',
			'item 6: expected one member CardNumber, but members 1 and 2 are named so',
			'item 7: expected an object with the members of a card',
			null,
		],
	);
});

for (const [what, body, failure] of [
	['is cut', `[{"number":"${VISA}","expiry":"12/29"},{"num`, 'body: the list is no JSON at item 2'],
	['lacks a comma', `[{"number":"${VISA}","expiry":"12/29"} {}]`, 'body: the list is no JSON at item 2'],
	['is not closed', `[{"number":"${VISA}","expiry":"12/29"}`, 'body: the list is no JSON at item 2'],
	['is followed by another', '[] []', 'body: nothing may follow the list, but something does at item 1'],
	['is empty', ' ', 'body: a list of cards is missing at item 1'],
	[
		'is nested too deeply',
		`[{"a":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}]`,
		'body: a card is nested deeper than 32 levels at item 1',
	],
	['has a card without an end', `["${'a'.repeat(300_000)}"]`, 'body: a card is longer than 65536 bytes at item 1'],
] as const) {
	test(`a list that ${what} is refused with the place, and without its text`, async (t) => {
		t.is((await read(Buffer.from(body), [65_536])).failure, failure);
	});
}

test('the cards before the place where a list is no JSON are read', async (t) => {
	const { found } = await read(Buffer.from(`[{"number":"${VISA}","expiry":"12/29"} {"number":`));
	t.deepEqual(
		found.map(({ number }) => number),
		[VISA],
	);
});

test('the cards of any list are the same, however it is cut and spaced', async (t) => {
	const card = fc.record(
		{
			number: fc.constantFrom(VISA, '4111111111111112', 4242424242424242, ''),
			expiry: fc.constantFrom('12/29', '13/29', null),
			reference: fc.string({ unit: fc.constantFrom(...'aé"\\/\n, {}[]'), maxLength: 6 }),
			other: fc.jsonValue({ maxDepth: 3 }),
		},
		{ requiredKeys: ['number', 'expiry'] },
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.oneof(card, fc.jsonValue({ maxDepth: 2 })), { maxLength: 6 }),
			fc.boolean(),
			fc.constantFrom('', ' ', '\n\t'),
			fc.constantFrom('', '\ufeff'),
			fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
			async (items, isList, indent, mark, sizes) => {
				const objects = items.filter((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
				const text = isList
					? JSON.stringify(items, null, indent)
					: objects.map((item) => JSON.stringify(item, null, indent)).join('\n');
				const body = Buffer.from(mark + text);
				const whole = await read(body);
				t.deepEqual(await read(body, sizes), whole);
				if (text === '') return;
				t.is(whole.failure, undefined);
				t.is(whole.found.length, isList ? items.length : objects.length);
				t.is(whole.found.filter(({ number }) => number === VISA).length, items.filter(isReadable).length);
			},
		),
		{ numRuns: 200 },
	);
});

function isReadable(item: unknown): boolean {
	const { number, expiry, reference } = (item ?? {}) as Record<string, unknown>;
	return number === VISA && expiry === '12/29' && reference !== 7;
}
