// Those tests of fuzz.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { anyCharacter } from '../helpers/any-character.ts';
import { BAD, laughs, MALFORMED, MEBI, open, refused, SENTINEL, taken } from './fuzz.setup.ts';

test('JSON that is none', refused, SENTINEL, 'application/json', MALFORMED);
test('JSON with something after it', refused, `{"Name":"a"} ${SENTINEL}`, 'application/json', MALFORMED);
test('a megabyte of brackets', refused, '['.repeat(MEBI - 10), 'application/json', MALFORMED);
test('a number of four hundred digits', refused, `{"Name":${'9'.repeat(400)}}`, 'application/json', BAD);
test('a number with an exponent beyond all', refused, '{"Name":1e999}', 'application/json', BAD);
test('XML nested a hundred thousand deep', refused, '<a>'.repeat(100_000), 'application/xml', MALFORMED);
test(
	'XML of a hundred thousand elements',
	refused,
	`<Probe>${'<a/>'.repeat(100_000)}</Probe>`,
	'application/xml',
	MALFORMED,
);
test('an attribute of a megabyte', refused, `<Probe a="${'x'.repeat(MEBI - 100)}"/>`, 'application/xml', BAD);
test('a document type that never ends', refused, `<!DOCTYPE ${'x'.repeat(MEBI - 100)}`, 'application/xml', MALFORMED);
test('a body without a type', refused, '{"Name":"a"}', '', BAD);

test('identity as an encoding', taken, '{"Name":"a"}', 'application/json', 'a', { 'content-encoding': 'identity' });

const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const nearlyJson = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, more]) => {
	const place = at % (text.length + 1);
	return Buffer.from(text.slice(0, place) + more + text.slice(place + 1));
});
const piece = fc.constantFrom(
	'<',
	'>',
	'/',
	'Probe',
	'<Name>',
	'</Name>',
	'<![CDATA[',
	']]>',
	'&',
	'&#0;',
	'&lt;',
	'<!--',
	'<?',
	'"',
	'a="',
	'\0',
	'\ufffe',
);
const nearlyXml = fc.array(piece, { maxLength: 20 }).map((pieces) => Buffer.from(pieces.join('')));

test('any bytes get an answer that is a success or a 400 with -125', async (t) => {
	const { post } = await open(t);
	const type = fc.constantFrom('application/json', 'application/xml', 'text/plain', 'text/xml; charset=utf-16');
	await fc.assert(
		fc.asyncProperty(fc.oneof(anyBytes, nearlyJson, nearlyXml), type, async (payload, contentType) => {
			const response = await post(payload, contentType);
			return response.statusCode === 200 || (response.statusCode === 400 && response.json().code === -125);
		}),
		{ numRuns: 400 },
	);
	t.pass();
});

test('any path and query get an answer below 500', async (t) => {
	const { parts } = await open(t);
	const text = fc.string({ unit: anyCharacter, maxLength: 40 }).map((given) => encodeURI(given.toWellFormed()));
	await fc.assert(
		fc.asyncProperty(text, text, fc.boolean(), async (path, query, isRaw) => {
			const url = `/${isRaw ? `%${path}` : path}?${query}&sessionToken=${query}`;
			return (await parts.app.inject({ method: 'GET', url })).statusCode < 500;
		}),
		{ numRuns: 200 },
	);
	t.pass();
});

test('memory does not grow with refused bodies', async (t) => {
	const { post } = await open(t);
	const bodies: [string, string][] = [
		['['.repeat(MEBI - 10), 'application/json'],
		[laughs, 'application/xml'],
		['<a>'.repeat(300_000), 'application/xml'],
	];
	const round = async () => {
		for (const [payload, type] of bodies) t.is((await post(payload, type)).statusCode, 400);
	};
	for (let count = 0; count < 5; count++) await round();
	const before = process.memoryUsage().rss;
	for (let count = 0; count < 30; count++) await round();
	t.true(process.memoryUsage().rss - before < 150 * MEBI);
});
