// Those tests of other-passes.test.ts that take long.

import test from 'ava';
import { swap } from '../helpers/vault-parts.ts';
import { all, FILES, others, run, VISA } from './other-passes.setup.ts';

test('a number behind zeros is only told beside other digits, because a second pass would read those otherwise', async (t) => {
	const arabic = '٤١١١١١١١١١١١١١١١';
	for (const [text, isReplaced] of [
		[`0${VISA} x`, true],
		[`0${VISA}${arabic}`, false],
		[`0${VISA}.${arabic}`, false],
		// When the number beside it is replaced too, no digits are left beside it.
		[`${VISA}.-0${VISA}ee`, true],
		[`${VISA}.-0${VISA} 12`, false],
	] as const) {
		const { parts, engine, there } = await run(t, {
			filter: 'SIMPLECSV',
			text: FILES.SIMPLECSV(text),
			options: { otherNumbers: 'tokenize' },
		});
		t.is(there.summary.otherNumbers, text.split(VISA).length - 1, text);
		t.is(there.bytes.includes(`0${VISA}`), !isReplaced, text);
		const options = { otherNumbers: 'tokenize' };
		const again = await swap(parts, engine, {
			filter: 'SIMPLECSV',
			options,
			direction: 'tokenize',
			bytes: there.bytes,
		});
		t.is(again.bytes.toString(), there.bytes.toString());
	}
});

test('a number in signs or behind zeros is only told beside a token, however the file is cut', async (t) => {
	const options = { otherNumbers: 'tokenize' };
	const { parts, there } = await run(t, { filter: 'SIMPLECSV', text: FILES.SIMPLECSV(VISA), options });
	const token = /,"([0-9a-f]{32})"/.exec(there.bytes.toString())![1];
	const spellings = ['4111/1111/1111/1111', "4'111'111'111'111'111", `0${VISA}`];
	const besides = spellings.flatMap((odd) => [`${token}/${odd}`, `${odd} / ${token}`, `${odd}.-.${token}`]);
	for (const beside of [...besides, `4111:1111:1111:1111:12:29:${token}`, `4111/1111/1111/1111/1229 ${token}`]) {
		const bytes = Buffer.from(FILES.SIMPLECSV(beside));
		for (const chunkSizes of [[1], [7], [1000]]) {
			const engine = parts.engine(all, { windowBytes: chunkSizes[0], maxRecordBytes: 1_048_576 });
			const swapped = await swap(parts, engine, {
				...{ filter: 'SIMPLECSV', options, direction: 'tokenize', bytes, chunkSizes },
			});
			t.is(swapped.summary.otherNumbers, 1, beside);
			t.true(swapped.bytes.includes(`"${beside}"`), beside);
		}
	}
});

// One stretch of hexadecimal digits in a thousand reads as a token under some key, so sixty keys surely meet one here.
test('a number among hexadecimal digits is told whatever the keys are, also where it reads as part of a token', async (t) => {
	const text = FILES.SIMPLECSV(`${'ab'.repeat(40)}${VISA}${'cd'.repeat(20)}`);
	for (const otherNumbers of ['report', 'mask', 'tokenize']) {
		for (let keys = 0; keys < 20; keys++) {
			const { there } = await run(t, { filter: 'SIMPLECSV', text, options: { otherNumbers } });
			t.is(there.summary.otherNumbers, 1);
			t.is(others(there).length, 1);
		}
	}
});

test('a number inside a long run of hexadecimal digits is told and never tokenized, and such runs cost the way back nothing', async (t) => {
	const text = FILES.SIMPLECSV(`${'ab'.repeat(150)}${VISA}${'cd'.repeat(10)}`);
	const { parts, engine, there } = await run(t, { filter: 'SIMPLECSV', text, options: { otherNumbers: 'tokenize' } });
	t.true(there.bytes.includes(VISA));
	// By chance, the digits around may read as a token of this vault, which gives the other reason.
	t.regex(others(there)[0].reason!, /where a token does not fit|in text that may be a token/);
	t.regex(there.summary.notices[0], /^1 card number stands outside the card fields of this format, in clear/);
	const two = FILES.SIMPLECSV(`${'ab'.repeat(150)}${VISA}${'cd'.repeat(10)} and ${VISA}`);
	const mixed = await run(t, { filter: 'SIMPLECSV', text: two, options: { otherNumbers: 'tokenize' } });
	t.regex(mixed.there.summary.notices[0], /^2 card numbers stand outside .*, as tokens but for 1 in clear/);
	const blob = Buffer.from(FILES.SIMPLECSV('0123456789abcdef'.repeat(60_000)));
	const began = performance.now();
	const back = await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'detokenize', bytes: blob });
	t.true(performance.now() - began < 2000);
	t.deepEqual(back.bytes, blob);
});
