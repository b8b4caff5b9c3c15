// Tests what a profile must keep to: the shape of every key, and the rules between them.

import test from 'ava';
import { type ParseOptions, parseProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { MINIMAL, PRODUCTION, problemsOf, SANDBOX } from '../helpers/profile-problems.ts';

const refused = test.macro({
	exec(t, change: object, problem: string, options: ParseOptions = SANDBOX) {
		t.deepEqual(problemsOf(t, JSON.stringify({ ...MINIMAL, ...change }), options), [problem]);
	},
	title: (name = '') => `refused: ${name}`,
});
const accepted = test.macro({
	exec(t, change: object, options: ParseOptions = SANDBOX) {
		t.notThrows(() => parseProfile(JSON.stringify({ ...MINIMAL, ...change }), options));
	},
	title: (name = '') => `accepted: ${name}`,
});

const NO_ADDRESS = '/targetUri: expected an absolute http or https address';
test('a name with a blank', refused, { name: 'a b' }, '/name: expected 1 to 64 letters and digits');
test('a long name', refused, { name: 'a'.repeat(65) }, '/name: expected 1 to 64 letters and digits');
test('a path for a target', refused, { targetUri: '/book' }, NO_ADDRESS);
test('a target of another scheme', refused, { targetUri: 'ftp://example.com/' }, NO_ADDRESS);
test('a target without slashes', refused, { targetUri: 'https:example.com' }, NO_ADDRESS);
test(
	'a password in the target',
	refused,
	{ targetUri: 'https://me:secret@example.com/' },
	'/targetUri: expected no user information in the address: authorization is the place for it',
);
test(
	'a placeholder in the target',
	refused,
	{ targetUri: 'https://example.com/{{cardNumber}}' },
	'/targetUri: expected no placeholder in the address, or cardInUri: true',
);
test('a placeholder that is allowed', accepted, {
	targetUri: 'https://example.com/{{cardNumber}}',
	cardInUri: true,
	body: 'text',
	direction: 'replace',
	cards: [],
});
test('http in the sandbox', accepted, { targetUri: 'http://localhost:8081/book' });
test(
	'http in production',
	refused,
	{ targetUri: 'http://example.com/' },
	'/targetUri: expected an https address: production sends no card data in clear',
	PRODUCTION,
);
test(
	'no target in production',
	refused,
	{},
	': expected targetUri or hosts: in production a profile says where its calls may go',
	PRODUCTION,
);
test(
	'a secret for any host',
	refused,
	{ authorization: 'Basic eDp5' },
	'/authorization: expected targetUri or hosts beside it: it is not for any host a caller names',
);
test('hosts alone in production', accepted, { hosts: ['api.example.com'] }, PRODUCTION);
test('a preset without target in production', accepted, { description: 'x' }, { ...PRODUCTION, isPreset: true });
test(
	'a preset that says nothing of itself',
	refused,
	{},
	'/description: expected a line that says what the preset is for',
	{ ...SANDBOX, isPreset: true },
);
test(
	'a preset with a secret',
	refused,
	{ description: 'x', hosts: ['api.example.com'], authorization: 'Basic eDp5' },
	'/authorization: expected none: the file of a preset is in clear',
	{ ...SANDBOX, isPreset: true },
);
test(
	'a text that is tokenized',
	refused,
	{ body: 'text', cards: [] },
	'/direction: expected replace: the placeholders of a text are only filled',
);
test(
	'places in a text',
	refused,
	{ body: 'text', direction: 'replace' },
	'/cards: expected none: a text has placeholders',
);
test('no places', refused, { cards: [] }, '/cards: expected at least one place that holds a card');
test(
	'namespaces outside XML',
	refused,
	{ namespaces: { a: 'urn:a' } },
	'/namespaces: expected none: namespaces belong to body: xml',
);
test(
	'a container in a form',
	refused,
	{ body: 'form', cards: [{ container: 'f', number: 'n' }] },
	'/cards/0/container: expected none: a form is one container',
);
test(
	'a map on a number',
	refused,
	{ cards: [{ number: { path: '$.n', map: { Visa: 'VI' } } }] },
	'/cards/0/number/map: no such key; one of path, substring',
);
test(
	'a substring without length',
	refused,
	{ cards: [{ number: { path: '$.n', substring: [4] } }] },
	'/cards/0/number/substring: expected [offset, length]',
);
test(
	'a substring of nothing',
	refused,
	{ cards: [{ number: { path: '$.n', substring: [4, 0] } }] },
	'/cards/0/number/substring/1: expected a whole number from 1 to 10000',
);
test('a truth value that is none', refused, { cardInUri: 'yes' }, '/cardInUri: expected true or false');
test(
	'a media type that is none',
	refused,
	{ contentType: 'json\r\nX: y' },
	'/contentType: expected a media type, such as text/xml; charset=utf-8',
);
test(
	'an authorization of two lines',
	refused,
	{ hosts: ['api.example.com'], authorization: 'Basic eA\r\nX-Other: y' },
	'/authorization: expected the value of an Authorization header in one line of at most 8192 characters',
);
test(
	'the stars of a secret',
	refused,
	{ hosts: ['api.example.com'], authorization: '********' },
	'/authorization: expected the secret itself: the stars only stand for it',
);
test(
	'authorities that cannot be read',
	refused,
	{ authorities: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
	'/authorities: expected certificates in PEM, each of which can be read',
);
test(
	'a card number in a comment of the partner',
	refused,
	{ description: 'as 4111 1111-1111 1111' },
	'/description: expected no card number: a profile is kept in clear',
);
test(
	'a card number in a path',
	refused,
	{ cards: [{ number: "$.cards[?@.n=='5555555555554444'].n" }] },
	'/cards/0/number: expected no card number: a profile is kept in clear',
);

const HOST_RULE = 'expected a host, api.example.com, api.example.com:8443 or *.example.com, without scheme';
for (const host of [
	'',
	'*',
	'*.com',
	'a..b',
	'https://a.com',
	'a.com:x',
	'a.com:0',
	'a.com:70000',
	'[2001:db8::1]:x',
	'a.com/x',
	'a b.com',
	'-a.com',
	'*.*.a.com',
	'[::1',
	'a@b.com',
]) {
	test(`the host '${host}'`, refused, { hosts: [host] }, `/hosts/0: ${HOST_RULE}`);
}

test('hosts are kept as addresses spell them', (t) => {
	const hosts = ['API.Example.com', '*.example.com', 'münchen.example', '192.0.2.1', '[2001:DB8::1]', 'localhost:8081'];
	t.deepEqual(parseProfile(JSON.stringify({ ...MINIMAL, hosts }), SANDBOX).hosts, [
		...['api.example.com', '*.example.com', 'xn--mnchen-3ya.example', '192.0.2.1', '[2001:db8::1]', 'localhost:8081'],
	]);
});

const TOKEN_HEADER_RULE =
	'/tokenHeader: expected a header name that begins with X- and has no meaning yet, such as X-service-cardUri';
for (const tokenHeader of [
	'',
	'Authorization',
	'Connection',
	'X-',
	'X-a b',
	'X-Forwarded-For',
	'x-real-ip',
	'X-service-Trace-Id',
	'X-Frame-Options',
	'X-Request-Id',
	'X-a\r\nb',
]) {
	test(`the token header ${JSON.stringify(tokenHeader)}`, refused, { tokenHeader }, TOKEN_HEADER_RULE);
}
test('a token header of the partner', accepted, { tokenHeader: 'X-Partner-Cards' });
