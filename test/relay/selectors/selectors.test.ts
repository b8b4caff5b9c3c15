import test from 'ava';
import { ServiceError } from '../../../src/base/errors.ts';
import type { CardSelector, ProfileBody } from '../../../src/work/relay/profiles/profile.ts';
import { SelectorProblems } from '../../../src/work/relay/selectors/problems.ts';
import { compileSelectors } from '../../../src/work/relay/selectors/selectors.ts';

function problemsOf(body: ProfileBody, cards: CardSelector[]): Record<string, string> {
	try {
		compileSelectors({ body, namespaces: { ota: 'urn:ota' }, cards });
		return {};
	} catch (error) {
		if (!(error instanceof SelectorProblems)) throw error;
		return Object.fromEntries(error.problems.map(({ pointer, message }) => [pointer, message]));
	}
}

const messageOf = (body: ProfileBody, path: string) =>
	problemsOf(body, [{ number: { path } }])['/cards/0/number/path'] ?? '';

test('all problems of a profile are told together, with their places', (t) => {
	const problems = problemsOf('xml', [
		{ number: { path: '//n' } },
		{ container: '//a[', number: { path: 'x:n' }, securityCode: { path: 'a'.repeat(501) } },
	]);
	t.deepEqual(Object.keys(problems), ['/cards/1/number/path', '/cards/1/securityCode/path', '/cards/1/container']);
	t.regex(problems['/cards/1/securityCode/path'], /at most 500 characters/);
});

const refused: [ProfileBody, string, RegExp][] = [
	['xml', '', /expected an XPath/],
	['xml', 'x:a', /whose prefixes the profile declares/],
	['xml', "doc('http://x')//n", /not available/],
	['xml', "//n[. = doc('file:///x')]", /doc\(\) is not available/],
	['xml', "//n[unparsed-text('file:///x')]", /unparsed-text\(\) is not available/],
	['xml', "//n[environment-variable('HOME')]", /environment-variable\(\) is not available/],
	['xml', "//n[matches(., '(a+)+')]", /matches\(\) is not available/],
	['xml', "//n[Q{urn:x}contains(., 'a')]", /not available/],
	['xml', '//n[position() = 1 to 100000000]', /rangeSequenceExpr is not available/],
	['xml', 'for $x in //n return $x', /flworExpr is not available/],
	['xml', 'a/concat(., .)/concat(., .)', /not available/],
	['xml', '//n[a/(string())/concat(., .)]', /not available/],
	['xml', '//n[some $x in //a satisfies $x]', /not available/],
	['xml', '(function() { //n })()', /not available/],
	['xml', '//n[//a = //b]', /on one side of a comparison/],
	['xml', '"text"', /not available/],
	['xml', '//n => string()', /not available/],
	['json', 'n', /begins with "\$"/],
	['json', "$[?match(@.a, '(a+)+')]", /match\(\) is not available/],
	['json', "$[?search(@.a, 'a')]", /search\(\) is not available/],
	['json', '$..a..b[?@.x]', /at most one "\.\."/],
	['json', '$[*,*][*,*][*,*]', /at most one list/],
	['json', "$['a','b'][?@['c','d']]", /at most one list/],
	['json', '$..[?@ == @]', /on one side of a comparison/],
	['json', '$[?value(@..a) == 1]', /inside a filter/],
	['json', '$[?@..a]', /inside a filter/],
	['json', '$[?$.a]', /inside a filter/],
	['json', '$[?@.a == $.b]', /inside a filter/],
	['json', '$[?count(@..a) > 1]', /inside a filter/],
	['form', '', /name of a form field/],
];
for (const [body, path, expected] of refused) {
	test(`the ${body} selector ${path.slice(0, 60) || '(empty)'} is refused`, (t) =>
		t.regex(messageOf(body, path), expected));
}

const accepted: [ProfileBody, string][] = [
	['xml', "//*[local-name() = 'n']/@*[name() = 'x:y']"],
	['xml', '//ota:n[not(@a) and (b or count(c) > 2)][last()]'],
	['xml', "ancestor::a[1]/following-sibling::*[starts-with(local-name(), 'Card')] | .//text()"],
	['xml', "//n[@kind eq 'a' and string-length(normalize-space(.)) > 12]"],
	['xml', '//*:n/..'],
	['json', "$.a['b c'][-1:][?@.x > 1 && !@.y || length(@.z) == 2]"],
	['json', '$..a..b..c'],
];
for (const [body, path] of accepted)
	test(`the ${body} selector ${path} is accepted`, (t) => t.is(messageOf(body, path), ''));

test('a form has no container', (t) => {
	t.deepEqual(Object.keys(problemsOf('form', [{ container: 'x', number: { path: 'n' } }])), ['/cards/0/container']);
});

test('two parts at one path need a substring each', (t) => {
	const e = (substring?: [number, number]) => ({ path: '$.e', substring });
	const problemAt = (month?: [number, number], year?: [number, number]) =>
		Object.keys(problemsOf('json', [{ number: { path: '$.n' }, expiryMonth: e(month), expiryYear: e(year) }]));
	t.deepEqual(problemAt([0, 2], [2, 2]), []);
	t.deepEqual(problemAt([0, 2]), ['/cards/0/expiryYear/path']);
	t.deepEqual(problemAt(undefined, [2, 2]), ['/cards/0/expiryYear/path']);
	t.deepEqual(problemAt([4, 2], [0, 4]), []);
	t.deepEqual(problemAt([0, 2], [1, 2]), ['/cards/0/expiryYear/substring']);
	t.deepEqual(problemAt([2, 2], [0, 6]), ['/cards/0/expiryYear/substring']);
});

const numbers = (...cards: CardSelector[]) => compileSelectors({ body: 'json', namespaces: {}, cards });
const outgoing = (...all: string[]) => all.map((number) => ({ number }));

test('one card fills every container, several fill as many', (t) => {
	const selectors = numbers(
		{ container: '$.b[*]', number: { path: '$.n' } },
		{ container: '$.a', number: { path: '$.n' } },
	);
	const body = Buffer.from('{"a":{"n":""},"b":[{"n":""},{"x":1},{"n":""}]}');
	t.is(selectors.fill(body, outgoing('1')).toString(), '{"a":{"n":"1"},"b":[{"n":"1"},{"x":1},{"n":"1"}]}');
	t.is(selectors.fill(body, outgoing('1', '2', '3')).toString(), '{"a":{"n":"1"},"b":[{"n":"2"},{"x":1},{"n":"3"}]}');
	for (const count of [0, 2, 4]) {
		const error = t.throws(() => selectors.fill(body, outgoing(...'1234'.slice(0, count))), {
			instanceOf: ServiceError,
		});
		t.is(error?.moreInfo, `${count} tokens were given; the selectors of the profile match 3 cards`);
	}
});

test('several numbers in a container are one card, or as many cards', (t) => {
	const selectors = numbers({ number: { path: '$..n' }, nameOnCard: { path: '$..h' } });
	const body = Buffer.from('[{"h":"","n":""},{"n":"","h":""}]');
	const two = [
		{ number: '1', nameOnCard: 'A' },
		{ number: '2', nameOnCard: 'B' },
	];
	t.is(selectors.fill(body, two).toString(), '[{"h":"A","n":"1"},{"n":"2","h":"B"}]');
	t.is(selectors.fill(body, two.slice(1)).toString(), '[{"h":"B","n":"2"},{"n":"2","h":"B"}]');
});

test('a place that two selectors find is written once', (t) => {
	const selectors = numbers(
		{ number: { path: '$..n' } },
		{ container: '$.a', number: { path: '$.n' } },
		{ container: '$..*', number: { path: '$.n' } },
	);
	t.is(selectors.fill(Buffer.from('{"a":{"n":""}}'), outgoing('1')).toString(), '{"a":{"n":"1"}}');
	t.is(selectors.locate(Buffer.from('{"a":{"n":""}}')).length, 1);
});

test('a body in which nothing matches is refused', (t) => {
	for (const [body, text, path] of [
		['xml', '<a/>', '//n'],
		['json', '{"a":1}', '$.n'],
		['form', 'a=1', 'n'],
	] as const) {
		const selectors = compileSelectors({ body, namespaces: {}, cards: [{ number: { path } }] });
		const error = t.throws(() => selectors.fill(Buffer.from(text), outgoing('1')), { instanceOf: ServiceError });
		t.is(error?.moreInfo, 'the selectors of the profile match nothing in the body');
		t.deepEqual(selectors.locate(Buffer.from(text)), []);
	}
});

test('a place that several containers share is read by all and written once', (t) => {
	const card: CardSelector = { container: '//c', number: { path: '@n' }, expiryYear: { path: '/o/@y' } };
	const selectors = compileSelectors({ body: 'xml', namespaces: {}, cards: [card] });
	const body = Buffer.from('<o y="30"><c n="1"/><c n="2"/></o>');
	t.deepEqual(
		selectors.locate(body).map((card) => [card.values, card.has('expiryYear')]),
		[
			[{ number: '1', expiryYear: '2030' }, true],
			[{ number: '2', expiryYear: '2030' }, false],
		],
	);
	t.is(selectors.fill(body, [{ number: '3', expiryYear: '2031' }]).toString(), '<o y="2031"><c n="3"/><c n="3"/></o>');
});

test('selectors that look at everything again for each container are stopped', (t) => {
	const xml = Buffer.from(`<o>${'<n><m/></n>'.repeat(30_000)}</o>`);
	const json = Buffer.from(`${'['.repeat(190)}${'{"n":1},'.repeat(20_000)}1${']'.repeat(190)}`);
	const cases: [ProfileBody, string, string, Buffer][] = [
		['xml', '//n', '../x', xml],
		['xml', '//n', '../n/m', xml],
		['xml', '//n', "../n[m = '7']", xml],
		['json', '$..*', '$..n', json],
		['json', '$..*', '$[?@.n]', json],
	];
	for (const [body, container, path, bytes] of cases) {
		const selectors = compileSelectors({ body, namespaces: {}, cards: [{ container, number: { path } }] });
		const before = process.cpuUsage();
		const error = t.throws(() => selectors.locate(bytes), { instanceOf: ServiceError });
		const { user, system } = process.cpuUsage(before);
		t.regex(error?.moreInfo ?? '', /too many|too much/, `${container} ${path}`);
		t.true(user + system < 5_000_000, `${container} ${path}: ${user + system} µs`);
	}
});

test('a refusal never quotes the body', (t) => {
	const number = '4111111111111111';
	const bodies: [ProfileBody, string, string][] = [
		['xml', '//n[. + 1 = 2]', `<a><n>x${number}</n></a>`],
		['xml', '//n', `<a><n>${number}</n><${number}></a>`],
		['xml', '//n', `<?xml version="1.0" encoding="${number}"?><a/>`],
		['json', '$.n', `{"n":${number}x}`],
		['json', '$.n', `{"n":"${number}","n":1}`],
		['text', '', `{{${number}}}`],
	];
	for (const [body, path, input] of bodies) {
		const selectors = compileSelectors({ body, namespaces: {}, cards: body === 'text' ? [] : [{ number: { path } }] });
		const error = t.throws(() => selectors.fill(Buffer.from(input), outgoing('1')), { instanceOf: ServiceError });
		t.false(`${error?.message} ${error?.stack} ${String(error?.cause)}`.includes(number.slice(0, 8)), input);
	}
});
