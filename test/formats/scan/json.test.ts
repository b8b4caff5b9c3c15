import test, { type ExecutionContext } from 'ava';
import { type SimpleJsonOptions, simplejson } from '../../../formats/simplejson.ts';
import { EXPIRY_ABSENT } from '../../../src/base/card/expiry.ts';
import { FileError, Findings } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';

const NUMBER = '4111111111111111';
const WINDOWS = [undefined, [8_192], [65_536], [70_001, 3]] as const;

function scan(text: string, windowSizes?: readonly number[], options: SimpleJsonOptions = {}) {
	return scanAll(simplejson, options, Buffer.from(text), { windowSizes, endsLate: windowSizes !== undefined });
}

const filler = (bytes: number) => JSON.stringify(Array.from({ length: bytes / 10 }, () => 'fillfil'));

const isRefused = test.macro({
	exec(t: ExecutionContext, text: string, message: RegExp, offset: number) {
		for (const windowSizes of [...WINDOWS, [1]]) {
			if (windowSizes?.[0] === 1 && text.length > 5_000) continue;
			const error = t.throws(() => scan(text, windowSizes), { instanceOf: FileError, message });
			t.is(error.at.offset, offset);
		}
	},
	title: (title) => `${title} is refused with its place`,
});

test('an open bracket', isRefused, '[1,2', /inside a JSON array/, 4);
test('a missing colon', isRefused, '{"a" 1}', /":"/, 5);
test('a missing comma', isRefused, '{"a":1 "b":2}', /"," or "}"/, 7);
test('a key without quotes', isRefused, '{a:1}', /JSON key in quotes/, 1);
test('a number with a point at its end', isRefused, '[1.]', /malformed JSON number/, 1);
test('a lone minus', isRefused, '[-]', /malformed JSON number/, 1);
test('two literals grown together', isRefused, 'truefalse', /unknown JSON literal/, 0);
test('a literal cut by the end of the file', isRefused, ' tru', /inside a JSON string or literal/, 1);
test('a short unicode escape', isRefused, '["\\u00g0"]', /four hexadecimal digits/, 2);
test('a wrong closing bracket', isRefused, '[1}', /"," or "\]"/, 2);
test('a hundred thousand open arrays', isRefused, '['.repeat(100_000), /deeper than 512/, 512);
test(
	'a card object beyond 64 KiB',
	isRefused,
	`{"a":1,"cardNumber":"${NUMBER}","b":${filler(70_000)},"cvv":"123"}`,
	/a card object, .* is longer than 65536 bytes/,
	7,
);
test('a CVV that waits for its number beyond 64 KiB', isRefused, `{"cvv":"123","b":${filler(70_000)}}`, /65536/, 1);
test(
	'in JSON, a card number as long as no card number is',
	isRefused,
	`{"cardNumber":"${' '.repeat(70_000)}1"}`,
	/65536/,
	1,
);

test('a file without anything holds no card', (t) => {
	t.deepEqual(scan(''), []);
	t.deepEqual(scan('\r\n'), []);
});

test('fields of an object that go on for more than 64 KiB without a number are let go of', (t) => {
	const text = `{"reference":"R","expirationDate":"1229","cards":${filler(70_000)},"cardNumber":"${NUMBER}","cardType":"VI"}`;
	for (const windowSizes of WINDOWS) {
		const [card, ...others] = scan(text, windowSizes);
		t.is(card.number.raw, NUMBER);
		t.is(card.expiry, EXPIRY_ABSENT);
		t.is(card.reference, undefined);
		t.is(card.type?.raw, 'VI');
		t.deepEqual(others, []);
	}
});

test('wherever the limit of an outer object falls, no card is missed', (t) => {
	const head = '{"reference":"R","cards":[';
	for (let pad = 0; pad < 120; pad += 1) {
		const blanks = ' '.repeat(65_536 - head.length - pad);
		const text = `${head}${blanks}{"nameOnCard":"N","cardNumber":"${NUMBER}","expirationDate":"1229"}],"cardNumber":"${NUMBER}"}`;
		const whole = scan(text);
		t.deepEqual(
			whole.map(({ number, expiry }) => [number.raw, expiry]),
			[
				[NUMBER, 202912],
				[NUMBER, EXPIRY_ABSENT],
			],
		);
		t.deepEqual(scan(text, [40_000, 13]), whole);
	}
});

test('wherever the limit of an object falls, its own number is not missed', (t) => {
	for (let pad = 0; pad < 60; pad++) {
		const text = `{"reference":"R",${' '.repeat(65_500 - pad)}"cardNumber":"${NUMBER}","a":1}`;
		const whole = scan(text);
		t.deepEqual(
			whole.map(({ number }) => number.raw),
			[NUMBER],
		);
		t.deepEqual(scan(text, [65_530, 1]), whole);
	}
});

test('strings outside a card, however long, are passed over as they come', (t) => {
	const scanner = simplejson.scanner({}, 'tokenize');
	const window = Buffer.from(`{"remark":"${'x'.repeat(300_000)}`);
	t.is(scanner.scan(window, 0, window.length, false, new Findings()), window.length);
	const rest = Buffer.from(`\\u00`);
	t.is(scanner.scan(rest, 0, rest.length, false, new Findings()), 0);
	const end = Buffer.from(`\\u0041","cardNumber":"${NUMBER}"}`);
	const found = new Findings();
	t.is(scanner.scan(end, 0, end.length, true, found), end.length);
	t.is(found.length, 1);
});

test('long keys are passed over too', (t) => {
	const text = `{"${'k'.repeat(200_000)}":{"cardNumber":"${NUMBER}"}}`;
	for (const windowSizes of WINDOWS) t.is(scan(text, windowSizes).length, 1);
});

test('only what belongs to an open card is held back', (t) => {
	const scanner = simplejson.scanner({}, 'tokenize');
	const head = `[${'{"a":[1,2,3]},'.repeat(1000)}{"b":1,`;
	const window = Buffer.from(`${head}"cardNumber":"${NUMBER}","c":{"cardNumber":"${NUMBER}"},"d"`);
	const found = new Findings();
	t.is(scanner.scan(window, 0, window.length, false, found), head.length);
	t.is(found.length, 0);
});

test('records count card objects in the order of their numbers', (t) => {
	const text = `[{"cardNumber":null},{"cardNumber":"1","x":{"pan":"2"},"cardNumber":"3"}]\n{"cardNumber":4}`;
	t.deepEqual(
		scan(text, [1]).map(({ record, line, number, shape }) => [record, line, number.raw, shape]),
		[
			[1, 1, '1', 'plain'],
			[2, 1, '2', 'plain'],
			[1, 1, '3', 'plain'],
			[3, 2, '4', 'quoted'],
		],
	);
});

test('a key beyond ASCII is known in UTF-8 and in Latin-1', (t) => {
	const options = simplejson.options.parse({ keys: { cardNumber: ['KartennummerÜ'] } });
	for (const encoding of ['utf8', 'latin1'] as const) {
		const bytes = Buffer.from(`{"KARTENNUMMERÜ":"${NUMBER}"}`, encoding);
		t.is(scanAll(simplejson, options, bytes).length, 1);
	}
});

test('a bare CVV is marked, so that its stars take quotes along', (t) => {
	const [card] = scan(`{"cvv":123,"cardNumber":"${NUMBER}"}`);
	t.true(card.isCvvBare);
	t.is(card.cvv?.raw, '123');
});

test('options that nobody knows are refused', (t) => {
	t.throws(() => simplejson.options.parse({ key: {} }));
	t.throws(() => simplejson.options.parse({ keys: { cardNumber: [] } }));
	t.throws(() => simplejson.options.parse({ keys: { number: ['a'] } }));
	t.deepEqual(simplejson.options.parse({}), {});
});

test('a masked number under a word for a card keeps other words from standing for it', (t) => {
	const others = `"expirationMonth":"13","expirationYear":"29","number":"${NUMBER}"`;
	t.is(scan(`{"card":"${NUMBER}",${others}}`).length, 1);
	t.is(scan(`{"card":"${'*'.repeat(16)}",${others}}`).length, 0);
	t.is(scan(`{"card":"Visa",${others}}`).length, 1);
});
