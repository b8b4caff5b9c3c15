import { Readable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { parser } from 'stream-json';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { CardParts } from '../../src/base/card/card-parts.ts';
import { BatchError } from '../../src/work/batch/batch-cards.ts';
import { CardLine } from '../../src/work/batch/card-line.ts';
import { BatchItems } from '../../src/work/batch/items.ts';

/** Returns the items of a body that comes in pieces of these sizes. */
function itemsOf(body: Buffer, sizes: readonly number[]): string[] {
	const items = new BatchItems(new CardLine(new CardParts()));
	const found: string[] = [];
	let held: Buffer = Buffer.alloc(0);
	for (let at = 0, turn = 0, isLast = false; !isLast; turn++) {
		const size = sizes[turn % sizes.length];
		isLast = at >= body.length;
		held = Buffer.concat([held, body.subarray(at, at + size)]);
		at += size;
		while (items.find(held, isLast) !== 'none') found.push(held.toString('utf8', items.start, items.end));
		held = held.subarray(items.settled);
		items.forget();
	}
	return found;
}

async function referee(body: Buffer): Promise<unknown[]> {
	const items: unknown[] = [];
	const stream = Readable.from([body]).pipe(parser.asStream()).pipe(streamArray.asStream());
	for await (const { value } of stream as AsyncIterable<{ value: unknown }>) items.push(value);
	return items;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const aCard = fc.constant({ BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } });
const anItem = fc.oneof(aCard, fc.jsonValue({ maxDepth: 3 }));

test('the items of any JSON list are what stream-json finds, however it is cut and spaced', async (t) => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(anItem, { maxLength: 6 }),
			sizes,
			fc.constantFrom('', ' ', '\n\t'),
			async (list, cuts, indent) => {
				const body = Buffer.from(JSON.stringify(list, null, indent));
				const found = itemsOf(body, cuts).map((text) => JSON.parse(text));
				t.deepEqual(found, JSON.parse(body.toString()));
				t.deepEqual(found, await referee(body));
			},
		),
		{ numRuns: 200 },
	);
});

test('the lines of any NDJSON are found, however it is cut and ended', (t) => {
	fc.assert(
		fc.property(
			fc.array(anItem, { minLength: 1, maxLength: 6 }),
			sizes,
			fc.constantFrom('\n', '\r\n', '\n\n'),
			(list, cuts, end) => {
				const lines = [{ first: 1 }, ...list].map((item) => JSON.stringify(item));
				for (const last of ['', end])
					t.deepEqual(
						itemsOf(Buffer.from(lines.join(end) + last), cuts).map((line) => line.trim()),
						lines,
					);
			},
		),
		{ numRuns: 300 },
	);
});

test('any list cut short is an error with a position within it', (t) => {
	const body = Buffer.from(JSON.stringify([{ a: ['x"\\'] }, 'text', 7, null]));
	for (let cut = 1; cut < body.length; cut++) {
		const error = t.throws(() => itemsOf(body.subarray(0, cut), [3]), { instanceOf: BatchError }, `cut at ${cut}`);
		t.true(Number(/ at offset (\d+)$/.exec(error!.message)?.[1]) <= cut);
	}
});
