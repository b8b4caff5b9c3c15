import test from 'ava';
import { parseReadyProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { tryProfile } from '../../src/work/relay/profiles/profile-trial.ts';

const now = new Date('2026-11-21');

function tried(body: unknown, change: object = {}) {
	const card = {
		container: '$.card',
		number: '$.n',
		expiryMonth: '$.m',
		expiryYear: '$.y',
		securityCode: '$.c',
		type: '$.t',
	};
	const profile = { name: 'A', direction: 'tokenize', body: 'json', cards: [card], ...change };
	const ready = parseReadyProfile(JSON.stringify(profile), { environment: 'sandbox' });
	return tryProfile(ready, { body: Buffer.from(JSON.stringify(body)), now });
}

const shows = test.macro({
	exec(t, card: object, expected: object, change: object = {}) {
		const trial = tried({ card }, change);
		t.like(trial.cards[0], expected);
		t.false(JSON.stringify(trial).includes('4111111111111111'));
	},
	title: (name = '') => `a trial shows ${name}`,
});

const NUMBER = '4111111111111111';
test(
	'a card that is fine',
	shows,
	{ n: NUMBER, m: '4', y: '39', c: '306', t: 'VI' },
	{
		...{ content: 'number', number: '411111******1111', brand: 'Visa', passesLuhn: true, expiry: '2039-04' },
		...{ refusal: null, warnings: [] },
	},
);
test('an expired card', shows, { n: NUMBER, m: 10, y: 2026, t: 'VI' }, { expiry: '2026-10', refusal: 'Expired card' });
test('a card of this month', shows, { n: NUMBER, m: 11, y: 2026, t: 'VI' }, { refusal: null });
test(
	'a month that is none',
	shows,
	{ n: NUMBER, m: '13', y: 2039 },
	{
		...{ expiry: null, refusal: 'Expiration date is not readable' },
	},
);
test('a CVV of letters', shows, { n: NUMBER, c: 'abc' }, { refusal: 'CVV must be 3 or 4 digits' });
test(
	'a type of another brand',
	shows,
	{ n: NUMBER, m: 4, y: 2039, t: 'MC' },
	{ warnings: ['Card type validation message'] },
);
test('a type nobody knows', shows, { n: NUMBER, m: 4, y: 2039, t: 'Gold' }, { warnings: ['The Card type is missing'] });
test(
	'text for a number',
	shows,
	{ n: 'see mail' },
	{
		...{ content: 'text', number: null, refusal: 'Number has less than 12 digits' },
	},
);
test('a token', shows, { n: 'ab'.repeat(16) }, { content: 'token', number: null, refusal: null });
test('a masked number', shows, { n: '411111XXXXXX1111' }, { content: 'masked', number: null, refusal: null });
test('an empty place', shows, { n: '' }, { content: 'empty', number: null, refusal: null });
test('a spreadsheet number', shows, { n: '4.11111E+15' }, { content: 'spreadsheet', number: null });
test(
	'no verdict where cards are only put in',
	shows,
	{ n: '4111111111111112', m: 1, y: 2001 },
	{
		...{ number: '411111******1112', passesLuhn: false, refusal: null, warnings: [] },
	},
	{ direction: 'replace' },
);

test('a stub of a number is all stars', (t) => {
	t.is(tried({ card: { n: '41111111111' } }).cards[0].number, '*'.repeat(11));
});

test('the trial says how much of each selector matches', (t) => {
	const { selectors } = tried({ card: { n: NUMBER, c: { deep: '306' } } });
	t.deepEqual(
		selectors.map(({ pointer, matched, remark }) => [pointer, matched, remark]),
		[
			['/cards/0/container', 1, null],
			['/cards/0/number', 1, null],
			['/cards/0/expiryMonth', 0, 'matches nothing: $ matches 1, .m after it matches nothing'],
			['/cards/0/expiryYear', 0, 'matches nothing: $ matches 1, .y after it matches nothing'],
			['/cards/0/securityCode', 1, 'matches only nodes without text of their own'],
			['/cards/0/type', 0, 'matches nothing: $ matches 1, .t after it matches nothing'],
		],
	);
	const cards = [{ container: '$.guests[*].pay.card', number: '$.n' }];
	t.deepEqual(tried({ guests: [{ pay: 1 }, { pay: {} }] }, { cards }).selectors, [
		{
			pointer: '/cards/0/container',
			matched: 0,
			remark: 'matches nothing: $.guests[*].pay matches 2, .card after it matches nothing',
		},
	]);
});

test('a body that cannot be read is refused with its place', (t) => {
	const ready = parseReadyProfile(
		JSON.stringify({ name: 'A', direction: 'both', body: 'xml', cards: [{ number: '//n' }] }),
		{ environment: 'sandbox' },
	);
	t.throws(() => tryProfile(ready, { body: Buffer.from('<a>\n<b></a>'), now }), {
		message: /not well-formed XML.*line 2/,
	});
});

test('a field that looks like a card field and is not used is listed without its content', (t) => {
	const card = {
		n: NUMBER,
		m: 4,
		y: 2039,
		cvv2: '306',
		room: '204',
		note: 'or 5555 5555 5555 4444',
		empty: { cardNumber: '' },
	};
	const trial = tried({ card, [NUMBER]: 'x 5555555555554444', list: ['378282246310005'] });
	t.deepEqual(
		trial.unused.map(({ name, looksLike, by }) => [name, looksLike, by]),
		[
			['cvv2', 'cvv', 'name'],
			['note', 'number', 'content'],
			['#'.repeat(16), 'number', 'content'],
			['list', 'number', 'content'],
		],
	);
	t.notRegex(JSON.stringify(trial.unused), /306|5555|3782|4111/);
	t.deepEqual(tried({ card: { n: NUMBER } }, { body: 'text', direction: 'replace', cards: [] }).unused, []);
});

test('a trial counts lines that end in CR, as files and reports do', (t) => {
	const profile = { name: 'A', direction: 'replace', body: 'text', contentType: 'text/plain' };
	const ready = parseReadyProfile(JSON.stringify(profile), { environment: 'sandbox' });
	const body = Buffer.from('one\rtwo\r\nthree {{cardNumber}}\n');
	t.is(tryProfile(ready, { body, now }).placeholders[0].line, 3);
});
