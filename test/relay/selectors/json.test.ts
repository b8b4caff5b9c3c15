import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../../src/base/errors.ts';
import { Edits } from '../../../src/engine/splice.ts';
import type { CardSelector } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors, type OutgoingCard } from '../../../src/work/relay/selectors/selectors.ts';

const NUMBER = '4111111111111111';
const CARD: OutgoingCard = {
	number: NUMBER,
	expiryMonth: '04',
	expiryYear: '2030',
	nameOnCard: 'A HOLDER',
	securityCode: '012',
};

const json = (...cards: CardSelector[]) => compileSelectors({ body: 'json', namespaces: {}, cards });
const numberAt = (path: string, container?: string) => json({ container, number: { path } });

const fills = test.macro({
	exec(t: ExecutionContext, selector: CardSelector, body: string, expected: string, card: OutgoingCard = CARD) {
		t.is(json(selector).fill(Buffer.from(body), [card]).toString(), expected);
	},
	title: (title = '') => `filling ${title}`,
});

const refuses = test.macro({
	exec(t: ExecutionContext, body: string | Buffer, expected: RegExp, path?: string) {
		const error = t.throws(() => numberAt(path ?? '$.n').locate(Buffer.from(body)), { instanceOf: ServiceError });
		t.is(error?.reason, 'bad-input-data');
		t.regex(error?.moreInfo ?? '', expected);
	},
	title: (title = '') => `a body with ${title} is refused`,
});

const n = { number: { path: '$.n' } };
test('a string', fills, n, '{ "n" : "tok" , "x": 1.50 }', `{ "n" : "${NUMBER}" , "x": 1.50 }`);
test('a null writes a string', fills, n, '{"n":null}', `{"n":"${NUMBER}"}`);
test('a bare number keeps it bare', fills, n, '{"n":0}', `{"n":${NUMBER}}`);
test('an escaped member name', fills, n, '{"\\u006e":"x"}', `{"\\u006e":"${NUMBER}"}`);
test('an element of an array', fills, { number: { path: '$.a[1]' } }, '{"a":[1,2,[3]]}', `{"a":[1,${NUMBER},[3]]}`);
test(
	'the container itself',
	fills,
	{ container: '$.a[*]', number: { path: '$' } },
	'{"a":["x",{}]}',
	`{"a":["${NUMBER}",{}]}`,
);
test(
	'a bare month and a bare CVV: no number begins with 0, but a month may lose it',
	fills,
	{ ...n, expiryMonth: { path: '$.m' }, expiryYear: { path: '$.y' }, securityCode: { path: '$.c' } },
	'{"n":1,"m":12,"y":2001,"c":999}',
	`{"n":${NUMBER},"m":4,"y":2030,"c":"012"}`,
);
test(
	'what a card does not have empties strings and numbers and leaves null',
	fills,
	{ ...n, nameOnCard: { path: '$.h' }, securityCode: { path: '$.c' }, type: { path: '$.t' } },
	'{"n":"x","h":"y","c":123,"t":null}',
	`{"n":"${NUMBER}","h":"","c":"","t":null}`,
	{ number: NUMBER },
);
test(
	'a name escapes what JSON would read',
	fills,
	{ ...n, nameOnCard: { path: '$.h' } },
	'{"n":"","h":""}',
	`{"n":"${NUMBER}","h":"A \\"B\\" \\\\ \\n é"}`,
	{ number: NUMBER, nameOnCard: 'A "B" \\ \n é' },
);
test(
	'what a filter of the library selects',
	fills,
	{ container: "$.p[?@.kind == 'card']", number: { path: '$.n' } },
	'{"p":[{"kind":"cash","n":"a"},{"kind":"card","n":"b"}]}',
	`{"p":[{"kind":"cash","n":"a"},{"kind":"card","n":"${NUMBER}"}]}`,
);
test(
	'members with odd names, by the library',
	fills,
	{ number: { path: `$..['it\\'s','__proto__','é','\\u000b']` } },
	`{"it's":"a","__proto__":"b","é":"c","\\u000b":"d","x":"e"}`,
	`{"it's":"${NUMBER}","__proto__":"${NUMBER}","é":"${NUMBER}","\\u000b":"${NUMBER}","x":"e"}`,
);

test('numbers are read with every digit', (t) => {
	const body = Buffer.from('{"n":4111111111111111999,"m":{"n":"\\u0034111"}}');
	t.deepEqual(
		numberAt('$..n')
			.locate(body)
			.map(({ values }) => values.number),
		['4111111111111111999', '4111'],
	);
});

test('objects, arrays and booleans are no places', (t) => {
	t.deepEqual(numberAt('$[*]').locate(Buffer.from('[{"a":1},[1],true,false]')), []);
});

test('a selected member name twice is refused, another one is not', (t) => {
	t.is(numberAt('$.n').locate(Buffer.from('{"x":1,"x":2,"n":"4"}')).length, 1);
	t.is(numberAt('$..n').locate(Buffer.from('{"n":{"n":"4"},"m":[{"n":"5"},{"n":"6"}]}')).length, 3);
});

test('names are written in the charset of the body', (t) => {
	const selectors = json({ ...n, nameOnCard: { path: '$.h' } });
	const body = Buffer.from('{"n":"","h":"\xe9"}', 'latin1');
	t.is(selectors.locate(body, 'application/json; charset=iso-8859-1')[0].values.nameOnCard, 'é');
	const filled = selectors.fill(body, [{ number: '1', nameOnCard: 'é €' }], 'application/json; charset=iso-8859-1');
	t.is(filled.toString('latin1'), '{"n":"1","h":"\xe9 \\u20ac"}');
});

test('a byte order mark stays', (t) => {
	t.is(
		numberAt('$.n')
			.fill(Buffer.from('\ufeff{"n":""}'), [{ number: '1' }])
			.toString(),
		'\ufeff{"n":"1"}',
	);
});

test('a member name twice', refuses, '{"n":"1",\n"n":"2"}', /stands twice at byte 10, line 2/);
test('an escaped member name twice', refuses, '{"n":"1","\\u006e":"2"}', /stands twice/);
test('any member name twice, by the library', refuses, '{"a":1,"a":2}', /stands twice/, '$[?@.x]');
test('a trailing comma', refuses, '{"n":1,}', /member name in quotes/);
test('a trailing comma in an array', refuses, '[1,]', /expected a value/);
test('a missing colon', refuses, '{"n" 1}', /":"/);
test('two values', refuses, '{} {}', /after the value/);
test('nothing', refuses, '', /ends too early/);
test('an open string', refuses, '{"n":"x', /ends too early/);
test('an open object', refuses, '{"n":"x"', /ends too early/);
test('a crossed bracket', refuses, '{"n":[1}', /expected "," or "\]"/);
test('a control character', refuses, '{"n":"a\nb"}', /control character/);
test('a bad escape', refuses, '{"n":"\\x"}', /unknown escape/);
test('a bad unicode escape', refuses, '{"n":"\\u12g4"}', /four hexadecimal/);
test('a leading zero', refuses, '{"n":012}', /malformed number|","/);
test('a bare word', refuses, '{"n":nul}', /expected a value/);
test('deep nesting', refuses, '['.repeat(100_000), /deeper than 200/);
test('UTF-16', refuses, Buffer.from('{"n":1}', 'utf16le'), /UTF-16/);
test('too many values for the library', refuses, `[${'0,'.repeat(200_000)}0]`, /more than 100000/, '$[?@ > 1]');

test('a token of digits alone becomes a string where a JSON number was, so that nobody rounds it', (t) => {
	const selectors = compileSelectors({
		body: 'json',
		namespaces: {},
		cards: [{ container: '$', number: { path: '$.n' } }],
	});
	const body = Buffer.from('{"n":4111111111111111}');
	const { cards } = selectors.search(body);
	const edits = new Edits();
	cards[0].hide(edits, '1'.repeat(32));
	t.is(edits.apply(body, 0, body.length).toString(), `{"n":"${'1'.repeat(32)}"}`);
	t.is(selectors.fill(body, [{ number: '5'.repeat(19) }]).toString(), `{"n":${'5'.repeat(19)}}`);
});
