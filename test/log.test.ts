import { inspect } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { passesLuhn } from '../src/base/card/luhn.ts';
import { maskCardNumbers } from '../src/base/log/card-numbers.ts';
import { type Logger, openLogger } from '../src/base/log/log.ts';
import { redactLine, redactText } from '../src/base/log/redaction.ts';

const CARD = '4111111111111111';
const AMEX = '378282246310005';
/** Finds the CVV, but not in the time of a line, whose milliseconds are these digits once in a thousand lines. */
const NOT_IN_THE_TIME = /(?<!\.)987/;

/** Returns what one use of a logger writes, as text and parsed. */
function logged(use: (logger: Logger) => void, level = 'trace') {
	const lines: string[] = [];
	use(openLogger({ level, destination: { write: (line) => void lines.push(line) } }));
	return { text: lines.join(''), lines: lines.map((line) => JSON.parse(line)) };
}

test('a line is one JSON object with level, time in words and message', (t) => {
	const { lines, text } = logged((logger) => logger.info({ jobId: '01k', bytes: 12 }, 'job done'));
	t.like(lines[0], { level: 'info', jobId: '01k', bytes: 12, msg: 'job done' });
	t.regex(lines[0].time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
	t.true(text.endsWith('}\n'));
});

test('lines below the level are not written', (t) => {
	t.is(logged((logger) => logger.info('hello'), 'warn').text, '');
});

const hides = test.macro({
	exec(t, use: (logger: Logger) => void, secret: string | RegExp) {
		const { text, lines } = logged(use);
		t.notRegex(text, secret instanceof RegExp ? secret : new RegExp(secret));
		t.is(lines.length, 1);
	},
	title: (text = '') => `hidden: ${text}`,
});

test('a card number in the message', hides, (log) => log.info(`stored ${CARD}`), CARD);
test('a card number grouped by blanks', hides, (log) => log.info('got 4111 1111 1111 1111'), /1111 1111 1111/);
test('a card number grouped by hyphens', hides, (log) => log.info('got 3782-822463-10005'), /822463/);
test(
	'a card number with points between its groups',
	hides,
	(log) => log.info('got 4111.1111.1111.1111'),
	/1111.1111.1111/,
);
test('a card number with underscores', hides, (log) => log.info({ name: 'x_3782_822463_10005.csv' }), /822463_10005/);
test('a card number after another number', hides, (log) => log.info('in 12 4111 1111 1111 1111'), /11 1111 1111/);
test('a card number with its expiry glued to it', hides, (log) => log.info(`${CARD}1230`), CARD);
test('a card number between letters', hides, (log) => log.info(`<PAN>x${AMEX}y`), AMEX);
test('a card number in an error', hides, (log) => log.error(new Error(`bad ${CARD}`)), CARD);
test('a card number in the cause of an error', hides, (log) => log.error({ err: causedBy(`bad ${CARD}`) }, 'x'), CARD);
test('a card number in the name of a field', hides, (log) => log.info({ cards: { [CARD]: true } }), CARD);
test('a card number in a list deep down', hides, (log) => log.info({ a: [{ b: [`${CARD}`] }] }), CARD);
test('a card number as a bare JSON number', hides, (log) => log.info({ value: Number(CARD) }), CARD);
test('a card number in a binding of a child', hides, (log) => log.child({ what: CARD }).info('x'), CARD);
test('a card number in a format argument', hides, (log) => log.info('card %s', CARD), CARD);
test('the bytes of a Buffer', hides, (log) => log.info({ chunk: Buffer.from(CARD) }), /52,49|4111/);
test('an API key by name', hides, (log) => log.info({ deep: { apiKey: 'sekrit' } }), 'sekrit');
test('an API key in a header', hides, (log) => log.info({ headers: { 'X-Service-Api-Key': 'sekrit' } }), 'sekrit');
test('a short card number by name', hides, (log) => log.info({ card: { Number: '41111' } }), '41111');
test('a CVV by name, also as a number', hides, (log) => log.info({ cvv: 987 }), NOT_IN_THE_TIME);
for (const name of [
	'cvv',
	'guestCvc',
	'security_code',
	'Sicherheitscode',
	'seriesCode',
	'codigoSeguridad',
	'pruefziffer',
]) {
	test(
		`a CVV under ${name}, or behind it in a text`,
		hides,
		(log) => log.info({ [name]: '987' }, `${name}: 987`),
		NOT_IN_THE_TIME,
	);
}
test('a CVV behind words', hides, (log) => log.info('card refused, security code 987'), NOT_IN_THE_TIME);
test('a whole object by name', hides, (log) => log.info({ credentials: { user: 'sekrit' } }), 'sekrit');
test('a session token in a URL', hides, (log) => log.info({ url: '/api?sessionToken=sekrit&a=1' }), 'sekrit');
test('an API key in a header value', hides, (log) => log.info('sent APIKEY 0123456789abcdefgh'), '0123456789abcdefgh');
test('an API key by its prefix', hides, (log) => log.info('td_sandbox_AAr1b-xq1crea9NZT5S72W6md8gJ'), 'AAr1b');
test('a CVV in nested JSON', hides, (log) => log.info({ body: JSON.stringify({ cvv: '987' }) }), NOT_IN_THE_TIME);
test('the password of a database URL', hides, (log) => log.info('postgres://me:sekrit@host/x'), 'sekrit');

function causedBy(text: string): Error {
	return new Error('outer', { cause: new Error(text) });
}

test('first six and last four stay, with grouping as it was', (t) => {
	t.is(redactText(`a ${CARD} b`), 'a 411111******1111 b');
	t.is(redactText('4111-1111-1111-1111'), '4111-11**-****-1111');
});

test('digits that are not a card number stay: times, sizes, ids, tokens, numbers that fail Luhn', (t) => {
	const facts = {
		at: 1_763_725_918_123,
		bytes: 999_999_999_999,
		page: 281_474_976_710_655,
		token: '9f86d081884c7d659a2feaa0c55ad015',
		text: `order ${CARD.slice(0, -1)}2, 2026-11-21 12:00`,
		isDeleted: null,
		cvv: null,
		hasCvv: true,
		expiresInSec: 900,
		errorCode: 404,
		note: 'error code 404, cvvs 12',
	};
	t.like(logged((logger) => logger.info(facts)).lines[0], facts);
});

test('a line that is looked at closely keeps large integers exactly', (t) => {
	t.is(redactLine('{"a":12345678901234567891,"cvv":"987"}\n'), '{"a":12345678901234567891,"cvv":"[redacted]"}\n');
});

test('a line that is not JSON is searched all the same', (t) => {
	t.is(redactLine(`oops ${CARD}\n`), 'oops 411111******1111\n');
});

test('any number of 12 to 22 digits that passes Luhn loses its middle, wherever it stands and however it is grouped', (t) => {
	const digits = fc.array(fc.nat(9), { minLength: 11, maxLength: 21 }).map(withCheckDigit);
	const words = fc.string().map((text) => text.replace(/[\d -]/g, ''));
	const property = fc.property(
		digits,
		words,
		words,
		fc.constantFrom('', ' ', '-'),
		(number, before, after, separator) => {
			const spelled = number.replace(/(.{4})(?=.)/g, `$1${separator}`);
			const masked = maskCardNumbers(before + spelled + after).replace(/[ -]/g, '');
			t.true(masked.includes(number.slice(0, 6) + '*'.repeat(number.length - 10) + number.slice(-4)), inspect(masked));
		},
	);
	fc.assert(property, { numRuns: 300 });
});

test('a long run of digits takes time in proportion to its length', (t) => {
	const started = performance.now();
	maskCardNumbers('1 2 3 4 5 6 7 8 '.repeat(5000));
	maskCardNumbers('4111'.repeat(10_000));
	t.true(performance.now() - started < 2000);
});

function withCheckDigit(digits: number[]): string {
	const text = digits.join('');
	const fits = (check: number) => passesLuhn(Buffer.from(text + check), 0, text.length + 1);
	return text + [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find(fits);
}
