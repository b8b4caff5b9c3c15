// Tests shares of a master key: so many give it back, fewer do not, and nothing that is typed wrong ever becomes a key.

import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { combineShares, sharesIn, splitKey } from '../../src/base/keys/shares.ts';
import { runs } from '../helpers/runs.ts';

const KEY = randomBytes(32);

test('any shares that are enough give the key back, in any order, typed in any case and with any blanks', async (t) => {
	const plan = fc.integer({ min: 2, max: 7 }).chain((count) =>
		fc.record({
			count: fc.constant(count),
			needed: fc.integer({ min: 2, max: count }),
			key: fc.uint8Array({ minLength: 32, maxLength: 32 }),
			order: fc.shuffledSubarray([...Array(count).keys()], { minLength: 2 }),
			typed: fc.constantFrom<(share: string) => string>(
				(share) => share,
				(share) => share.toLowerCase(),
				(share) => share.replaceAll(/ (?=\w{3,5}\b)/g, '').replaceAll('\n', '\r\n\r\n'),
				(share) => share.split('\n').slice(1).join('\n'),
			),
		}),
	);
	await fc.assert(
		fc.asyncProperty(plan, async ({ count, needed, key, order, typed }) => {
			const { shares } = await splitKey(Buffer.from(key), { needed, count });
			const given = sharesIn(order.map((at) => typed(shares[at])).join('\n'));
			t.is(given.length, order.length);
			if (order.length >= needed) t.deepEqual(await combineShares(given), Buffer.from(key));
			else
				await t.throwsAsync(combineShares(given), {
					message: `${order.length} different shares were given, and ${needed} are needed`,
				});
		}),
		{ numRuns: runs(60) },
	);
});

/**
 * Two shares as they were printed once. One wrong letter in 32,768 fits the sum of its line, and is noticed only when the shares
 * give another key; in these two there is none among the letters that the test tries.
 */
const PRINTED = [
	`Share 1 of 3 of the master key, set 06d12962: any 2 give it back.
1: 040G4 0R6T4 MP4G5 B9P1V 6ZG
2: TPBFE 116XH 6KJJX 885AK DBN
3: 0K3WY 5873K 7AGRD CCE3A JX2
4: Y0G4M 9Z7SS 6Y8J8 SAKR 13E
`,
	`Share 2 of 3 of the master key, set 06d12962: any 2 give it back.
1: 04104 0R6T4 MP4G5 B9P1V 6WP
2: TPBFE 0GFY5 VN4QT GGHDF 9QQ
3: P9HBS 89RRH B574W N9X21 M8M
4: BXQHC 28TZE JSZ54 EZRR 14E
`,
];

const PRINTED_KEY = '00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9';

test('a letter that is wrong, missing or in the place of another is told with its share and line', async (t) => {
	const shares = PRINTED;
	const lines = shares[1].trimEnd().split('\n');
	for (let line = 1; line < lines.length; line++) {
		for (let at = lines[line].indexOf(' ') + 1; at < lines[line].length; at++) {
			const letter = lines[line][at];
			if (letter === ' ') continue;
			for (const other of ['Z', '7', '']) {
				if (other === letter) continue;
				const wrong = lines.with(line, lines[line].slice(0, at) + other + lines[line].slice(at + 1)).join('\n');
				const error = await t.throwsAsync(combineShares([shares[0], wrong]));
				t.regex(error.message, new RegExp(`^share 2: (a letter of line ${line} is wrong, or missing)$`));
			}
		}
	}
	t.is((await combineShares(shares)).toString('hex'), PRINTED_KEY);
	const swapped = [lines[0], lines[2], lines[1], ...lines.slice(3)].join('\n');
	await t.throwsAsync(combineShares([shares[0], swapped]), { message: 'share 2: line 1 is not where it belongs' });
	const renumbered = lines.with(1, lines[2].replace('2:', '1:')).join('\n');
	await t.throwsAsync(combineShares([shares[0], renumbered]), {
		message: 'share 2: a letter of line 1 is wrong, or missing',
	});
	await t.throwsAsync(combineShares([shares[0], lines.slice(0, -1).join('\n')]), {
		message: 'share 2: not all of its lines are there',
	});
});

test('shares of two sets, and one share given twice, are refused', async (t) => {
	const one = await splitKey(KEY, { needed: 2, count: 2 });
	const other = await splitKey(KEY, { needed: 2, count: 2 });
	await t.throwsAsync(combineShares([one.shares[0], other.shares[1]]), {
		message: `share 2 is of set ${other.set}, share 1 of set ${one.set}`,
	});
	await t.throwsAsync(combineShares([one.shares[0], one.shares[0]]), {
		message: '1 different shares were given, and 2 are needed',
	});
	await t.throwsAsync(combineShares([]), { message: 'there is no share' });
});

test('fewer shares hold nothing of the key', async (t) => {
	const zeros = Buffer.alloc(32);
	const { shares } = await splitKey(zeros, { needed: 2, count: 5 });
	t.is(new Set(shares.map((share) => share.split('\n').slice(2, -1).join('').replaceAll(/\d: /g, ''))).size, 5);
	for (const share of shares) t.notRegex(share, /0{10}/);
});

test('a plan that makes no sense is refused', async (t) => {
	for (const [needed, count] of [
		[1, 3],
		[4, 3],
		[2, 256],
		[Number.NaN, 3],
	])
		await t.throwsAsync(splitKey(KEY, { needed, count }), { instanceOf: RangeError });
});
