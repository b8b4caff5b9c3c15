import test from 'ava';
import fc from 'fast-check';
import { parseProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { ProfileError } from '../../src/work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../src/work/relay/profiles/profile-yaml.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { JSON_CARD, MINIMAL, PRODUCTION, problemsOf, SANDBOX } from '../helpers/profile-problems.ts';
import { runs } from '../helpers/runs.ts';

/** The example profile of shapes §4, with a target added. */
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

test('a profile as it is shown is read back as the same profile', (t) => {
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
			'  line 5, column 5, /cards/0/nmber: no such key; perhaps number',
			'  line 5, column 5, /cards/0/number: expected a path, or a section with path; or names: usual beside it',
			'  line 6, column 40, /cards/0/expiryMonth/format: expected M or MM',
			'  line 7, column 32, /cards/0/type/map/Viza: expected a card type of ours as the key (Visa, MasterCard, AMEX …)',
			'  line 8, column 1, /targetUrl: no such key; perhaps targetUri',
		].join('\n'),
	);
});

test('bad selectors are told together with everything else', (t) => {
	const text = JSON.stringify({ ...MINIMAL, name: '!', cards: [{ number: 'no path', expiryMonth: '$[' }, JSON_CARD] });
	const problems = problemsOf(t, text);
	t.deepEqual(
		problems.map((problem) => problem.split(':')[0]),
		['/name', '/cards/0/number/path', '/cards/0/expiryMonth/path'],
	);
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
		fc.string({ unit: anyCharacter }),
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
		{ numRuns: runs(1500) },
	);
	t.pass();
});
