import test from 'ava';
import fc from 'fast-check';
import { hasMaskableNumber, maskCardNumbers } from '../../src/base/log/card-numbers.ts';
import { maskBeginning } from '../../src/base/log/masked-beginning.ts';
import { redactLine } from '../../src/base/log/redaction.ts';
import { processorTime } from '../helpers/processor-time.ts';
import { runs } from '../helpers/runs.ts';

const CARD = '4111111111111111';
const NUMBERS = fc.constantFrom(CARD, '378282246310005', '5555555555554444', '30569309025904', '6011000990139424');
const PIECE = fc.oneof(
	NUMBERS,
	NUMBERS.map((number) => number.split('').join(' ')),
	NUMBERS.map((number) => number.replace(/(.{4})/g, '$1-')),
	NUMBERS.map((number) => number.split('').join('\u200b')),
	fc.stringMatching(/^[0-9 .x-]{0,20}$/),
	fc.constantFrom('20290101', 'DE89 3704 0044 0532 0130 00', 'é', '４', '⑩', '\u{1d7ce}'),
);
const TEXT = fc.array(PIECE, { maxLength: 12 }).map((pieces) => pieces.join(''));

test('a text is masked the same wherever in a longer one it stands', (t) => {
	const property = fc.property(TEXT, fc.integer({ min: 3_800, max: 4_300 }), (text, before) => {
		const filling = '7'.repeat(before).replaceAll(/(.{11})/g, '$1xxxxx');
		const masked = maskCardNumbers(`${filling}xxxxx${text}xxxxx${filling}`);
		t.is(masked, `${filling}xxxxx${maskCardNumbers(text)}xxxxx${filling}`);
		t.is(hasMaskableNumber(`${filling}xxxxx${text}`), maskCardNumbers(text) !== text);
	});
	t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

test('megabytes of digits are masked in time, however they are written', (t) => {
	const texts = ['4'.repeat(2e6), '4 '.repeat(1e6), `${CARD} `.repeat(1e5), '４'.repeat(2e6), '4\u200b'.repeat(1e6)];
	for (const text of texts) {
		const ms = processorTime(() => maskCardNumbers(text));
		t.true(ms < 2_500, `${text.slice(0, 4)}: ${ms.toFixed()} ms`);
	}
});

test('wherever a text is cut, no more than ten digits of a number stay visible', (t) => {
	const property = fc.property(
		TEXT,
		NUMBERS,
		TEXT,
		fc.integer({ min: 0, max: 120 }),
		(before, number, after, length) => {
			const cut = maskBeginning(`${before}xxxxx${number}xxxxx${after}`, length);
			t.true(cut.length <= length);
			const start = before.length + 5;
			const seen = cut.slice(start, start + number.length);
			t.false(/\d{7}/.test(seen), `${seen} at ${length}`);
		},
	);
	t.notThrows(() => fc.assert(property, { numRuns: runs(500) }));
});

test('a number drawn out so far that its end is not looked at is hidden as well', (t) => {
	for (const between of ['\u200b', '\u0301', '\u2060']) {
		const text = CARD.split('').join(between.repeat(120));
		t.false(/\d/.test(maskBeginning(text, 1200)));
		t.false(/\d/.test(maskBeginning(`paid with ${text}`, 1200)));
	}
	t.is(maskBeginning(`order 1234 ${'x'.repeat(2000)}`, 20), 'order 1234 xxxxxxxxx');
});

test('a line of megabytes is cut, with no number or secret across the cut, and soon', (t) => {
	const filling = 'x'.repeat(1014);
	const secrets = [
		`${filling}${CARD}`,
		`${filling} APIKEY 0123456789abcdefghijkl`,
		`${'x'.repeat(1000)}postgres://me:sekrit@h`,
	];
	for (const secret of secrets) {
		const line = redactLine(`${JSON.stringify({ level: 'info', msg: 'x', text: `${secret} ${'1 '.repeat(2e5)}` })}\n`);
		t.true(line.length < 2_500);
		t.notRegex(line, /411111111|0123456789|sekrit/);
		t.like(JSON.parse(line), { level: 'info', msg: 'x' });
	}
	const before = process.cpuUsage();
	const long = [
		`${JSON.stringify({ msg: CARD.repeat(5e5) })}\n`,
		'1'.repeat(8e6),
		JSON.stringify({ list: Array(3e5).fill(1) }),
	];
	for (const line of long) {
		const cut = redactLine(line);
		t.true(cut.length <= 16_384);
		t.notRegex(cut, /4111111111111/);
		t.notThrows(() => JSON.parse(cut));
	}
	// This is the time of this process alone, because other processes may have the processor meanwhile.
	const { user, system } = process.cpuUsage(before);
	t.true(user + system < 1_500_000, `${user + system} µs`);
});
