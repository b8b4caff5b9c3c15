import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { makeSelfSigned } from '../../src/identity/self-signed.ts';
import { type ParseOptions, parseProfile } from '../../src/relay/profile-document.ts';
import { ProfileError } from '../../src/relay/profile-problems.ts';
import { profileYaml } from '../../src/relay/profile-yaml.ts';

const SANDBOX: ParseOptions = { environment: 'sandbox' };
const PRODUCTION: ParseOptions = { environment: 'production' };

/** The profile of shapes §4, with a target. */
const EXAMPLE = `
name: ExamplePartner
direction: both
body: xml
targetUri: https://api.example.com/v1/book
cards:
  - container: //*[local-name()='PaymentCard']
    number: '@CardNumber'
    expiryMonth: { path: '@ExpireDate', format: MM, substring: [0, 2] }
    expiryYear:  { path: '@ExpireDate', format: YY, substring: [2, 2] }
    nameOnCard: CardHolderName
    securityCode: '@SeriesCode'
    type: { path: '@CardCode', map: { Visa: VI, MasterCard: MC, AMEX: AX } }
tokenHeader: X-service-cardUri
`;

const JSON_CARD = { number: '$.number' };
const MINIMAL = { name: 'Minimal', direction: 'tokenize', body: 'json', cards: [JSON_CARD] };

function problemsOf(t: ExecutionContext, text: string, options = SANDBOX): readonly string[] {
	const error = t.throws(() => parseProfile(text, options), { instanceOf: ProfileError });
	for (const { rule } of error.problems) t.true(error.message.includes(rule));
	return error.problems.map(({ pointer, rule }) => `${pointer}: ${rule}`);
}

test('the example of the specification is read whole', (t) => {
	t.deepEqual(parseProfile(EXAMPLE, PRODUCTION), {
		name: 'ExamplePartner',
		direction: 'both',
		body: 'xml',
		targetUri: 'https://api.example.com/v1/book',
		hosts: [],
		httpMethod: 'POST',
		namespaces: {},
		cards: [
			{
				container: "//*[local-name()='PaymentCard']",
				number: { path: '@CardNumber' },
				expiryMonth: { path: '@ExpireDate', format: 'MM', substring: [0, 2] },
				expiryYear: { path: '@ExpireDate', format: 'YY', substring: [2, 2] },
				nameOnCard: { path: 'CardHolderName' },
				securityCode: { path: '@SeriesCode' },
				type: { path: '@CardCode', map: { Visa: 'VI', MasterCard: 'MC', AMEX: 'AX' } },
			},
		],
		tokenHeader: 'X-service-cardUri',
		inPlace: 'mask',
		cardInUri: false,
	});
});

test('JSON says the same as YAML, and codes of partners keep their zeros', (t) => {
	const profile = { ...MINIMAL, cards: [{ ...JSON_CARD, type: { path: '$.type', map: { Visa: '001' } } }] };
	const fromJson = parseProfile(JSON.stringify(profile), SANDBOX);
	const fromYaml = parseProfile(
		'name: Minimal\ndirection: tokenize\nbody: json\ncards: [{ number: $.number, type: { path: $.type, map: { Visa: 001 } } }]',
		SANDBOX,
	);
	t.deepEqual(fromJson, fromYaml);
	t.is(fromJson.cards[0].type?.map?.Visa, '001');
});

test('what is shown of a profile is read as the same profile', (t) => {
	for (const text of [EXAMPLE, JSON.stringify(MINIMAL)]) {
		const profile = parseProfile(text, SANDBOX);
		t.deepEqual(parseProfile(profileYaml(profile), SANDBOX), profile);
	}
	t.regex(profileYaml(parseProfile(EXAMPLE, SANDBOX)), /^ {4}number: "@CardNumber"$/m);
});

test('every problem is told at once, with line, column and pointer, in the order of the text', (t) => {
	const text = [
		'name: Example Partner',
		'direction: both',
		'body: xml',
		'cards:',
		'  - nmber: a',
		'    expiryMonth: { path: "@x", format: YY }',
		'    type: { path: "@y", map: { Viza: VI } }',
		'targetUrl: https://example.com',
	].join('\n');
	const error = t.throws(() => parseProfile(text, PRODUCTION), { instanceOf: ProfileError });
	t.is(
		error.moreInfo,
		[
			'the profile is not usable:',
			'  line 1, column 1: expected targetUri or hosts: in production a profile says where its calls may go',
			'  line 1, column 7, /name: expected 1 to 64 letters and digits',
			'  line 5, column 5, /cards/0/number: expected a path, or a section with path',
			'  line 5, column 5, /cards/0/nmber: no such key; perhaps number',
			'  line 6, column 40, /cards/0/expiryMonth/format: expected M or MM',
			'  line 7, column 32, /cards/0/type/map/Viza: expected a card type of ours as the key (Visa, MasterCard, AMEX …)',
			'  line 8, column 1, /targetUrl: no such key; perhaps targetUri',
		].join('\n'),
	);
});

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

test('bad selectors are told together with everything else', (t) => {
	const text = JSON.stringify({ ...MINIMAL, name: '!', cards: [{ number: 'no path', expiryMonth: '$[' }, JSON_CARD] });
	const problems = problemsOf(t, text);
	t.deepEqual(
		problems.map((problem) => problem.split(':')[0]),
		['/name', '/cards/0/number/path', '/cards/0/expiryMonth/path'],
	);
});

test('a client certificate loads, and its key is its own', async (t) => {
	const { certificate, privateKey } = await makeSelfSigned({
		commonName: 'client',
		notBefore: new Date('2026-01-01'),
		notAfter: new Date('2036-01-01'),
	});
	const pem = new X509Certificate(certificate).toString();
	const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
	const passphrase = 'open sesame';
	const sealedKey = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }) as string;
	const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
	const withCertificate = (clientCertificate: object) =>
		JSON.stringify({ ...MINIMAL, hosts: ['api.example.com'], clientCertificate });

	const { clientCertificate } = parseProfile(withCertificate({ certificate: pem, key }), SANDBOX);
	t.is(createPrivateKey(clientCertificate!.key).asymmetricKeyType, 'rsa');
	t.notThrows(() => parseProfile(withCertificate({ certificate: pem, key: sealedKey, passphrase }), SANDBOX));
	t.notThrows(() => parseProfile(JSON.stringify({ ...MINIMAL, authorities: `# ours\n${pem}\n${pem}` }), SANDBOX));
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: other })), [
		'/clientCertificate/key: expected the private key of the certificate',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: sealedKey, passphrase: 'wrong' })), [
		'/clientCertificate/key: expected a private key in PEM that can be read with the passphrase',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: key, key: 'nonsense' })), [
		'/clientCertificate/certificate: expected a certificate in PEM that can be read',
		'/clientCertificate/key: expected a private key in PEM that can be read',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem })), [
		'/clientCertificate/key: expected its private key in PEM',
	]);
});

test('no problem quotes what stands in the profile', (t) => {
	const text = JSON.stringify({
		...MINIMAL,
		name: 's3cret name',
		authorization: 's3cret\n',
		targetUri: 's3cret',
		body: 's3cret',
	});
	t.notRegex(problemsOf(t, text).join('\n'), /s3cret/);
});

test('any text is a profile or is refused with places', (t) => {
	const scalar = fc.constantFrom(
		'x',
		'xml',
		'json',
		'form',
		'text',
		'tokenize',
		'both',
		'$.a',
		'//a',
		'@a',
		'',
		'[',
		'4111111111111111',
		'https://a.example',
		'********',
		'1',
		'true',
	);
	const key = fc.constantFrom(
		'name',
		'direction',
		'body',
		'cards',
		'number',
		'path',
		'hosts',
		'namespaces',
		'targetUri',
		'tokenHeader',
		'type',
		'map',
		'clientCertificate',
		'authorization',
		'authorities',
		'container',
		'expiryYear',
		'substring',
		'format',
		'__proto__',
		'constructor',
		'Visa',
		'',
	);
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 5 },
			scalar,
			fc.constant(null),
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.array(fc.tuple(key, tie('tree')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
		),
	}));
	const near = fc
		.array(fc.tuple(key, tree), { maxLength: 5 })
		.map((entries) => ({ ...MINIMAL, ...Object.fromEntries(entries) }));
	const text = fc.oneof(
		fc.string({ unit: 'binary' }),
		tree.map((value) => JSON.stringify(value)),
		near.map((value) => JSON.stringify(value)),
		fc
			.tuple(fc.nat(EXAMPLE.length), fc.nat(20), fc.string())
			.map(([at, cut, more]) => EXAMPLE.slice(0, at) + more + EXAMPLE.slice(at + cut)),
	);
	fc.assert(
		fc.property(text, fc.boolean(), (written, isPreset) => {
			try {
				const { selectors: _, ...profile } = { selectors: null, ...parseProfile(written, { ...SANDBOX, isPreset }) };
				return profile.name !== '';
			} catch (error) {
				if (!(error instanceof ProfileError)) throw error;
				return error.problems.length > 0 && error.problems.every(({ line, column }) => line > 0 && column > 0);
			}
		}),
		{ numRuns: 1500 },
	);
	t.pass();
});
