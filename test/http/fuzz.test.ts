// Tests that any bad body is answered with a 4xx and the right code, that the answer repeats nothing of the body and shows
// nothing of the code, and that memory does not grow with the body.

import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { anyCharacter } from '../helpers/any-character.ts';
import { addProbes } from '../helpers/http-probes.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';

const MEBI = 1024 * 1024;
const SENTINEL = 'sentinel-4111111111111111';

async function open(t: ExecutionContext<unknown>) {
	const rooms = await openHttpRooms(t);
	addProbes(rooms.app);
	const caller = await rooms.createCaller('agency');
	const post = (payload: string | Buffer, contentType = 'application/json', headers: Record<string, string> = {}) =>
		caller.inject('POST', '/probe', {
			payload,
			headers: { accept: 'application/json', 'content-type': contentType, ...headers },
		});
	return { rooms, post };
}

const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY b${i} "&a;&a;&a;">`).join('')}]><Probe><Name>&b29;</Name></Probe>`;

const refused = test.macro({
	async exec(t, payload: string | Buffer, contentType: string, message: string, headers: Record<string, string> = {}) {
		const { rooms, post } = await open(t);
		const response = await post(payload, contentType, headers);
		t.is(response.statusCode, 400);
		t.like(response.json(), { code: -125, message });
		t.truthy(response.json().moreInfo);
		for (const text of [response.body, rooms.logText()]) {
			t.false(text.includes('sentinel'));
			t.false(/\bat .*\.ts:|node_modules/.test(text));
		}
	},
	title: (text) => `${text} is a 400`,
});
const MALFORMED = 'Message badly formatted';
const BAD = 'Bad input data';
test('JSON that is cut', refused, `{"Name":"${SENTINEL}`, 'application/json', MALFORMED);
test('JSON that is none', refused, SENTINEL, 'application/json', MALFORMED);
test('JSON with something after it', refused, `{"Name":"a"} ${SENTINEL}`, 'application/json', MALFORMED);
test('a JSON list where an object is due', refused, `["${SENTINEL}"]`, 'application/json', BAD);
test('a JSON number where an object is due', refused, '4111111111111111', 'application/json', BAD);
test('JSON null', refused, 'null', 'application/json', BAD);
test('a megabyte of brackets', refused, '['.repeat(MEBI - 10), 'application/json', MALFORMED);
test('a megabyte of objects in each other', refused, '{"Name":'.repeat(130_000), 'application/json', MALFORMED);
test('a number of four hundred digits', refused, `{"Name":${'9'.repeat(400)}}`, 'application/json', BAD);
test('a number with an exponent beyond all', refused, '{"Name":1e999}', 'application/json', BAD);
test('an object where text is due', refused, `{"Name":{"a":"${SENTINEL}"}}`, 'application/json', BAD);
test('a member that is there twice', refused, `{"Name":"a","NAME":"${SENTINEL}"}`, 'application/json', BAD);
test('text with a NUL', refused, '{"Name":"a\\u0000b"}', 'application/json', BAD);
test(
	'invalid UTF-8 in JSON',
	refused,
	Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
	'application/json',
	MALFORMED,
);
test('invalid UTF-8 in XML', refused, Buffer.from('<Probe><Name>\xe4</Name></Probe>', 'latin1'), 'text/xml', MALFORMED);
test('an unknown charset', refused, '{"Name":"a"}', 'application/json; charset=klingon', MALFORMED);
test('XML that is cut', refused, `<Probe><Name>${SENTINEL}`, 'application/xml', MALFORMED);
test('XML that is none', refused, SENTINEL, 'application/xml', MALFORMED);
test('XML with crossed elements', refused, '<Probe><Name></Probe></Name>', 'application/xml', MALFORMED);
test('XML with two roots', refused, '<Probe><Name>a</Name></Probe><Probe/>', 'application/xml', MALFORMED);
test('XML with text after its root', refused, `<Probe><Name>a</Name></Probe>${SENTINEL}`, 'application/xml', MALFORMED);
test('XML with another root', refused, `<Other><Name>${SENTINEL}</Name></Other>`, 'application/xml', MALFORMED);
test(
	'XML with a document type',
	refused,
	'<!DOCTYPE Probe><Probe><Name>a</Name></Probe>',
	'application/xml',
	MALFORMED,
);
test('a billion laughs', refused, laughs, 'application/xml', MALFORMED);
test(
	'an external entity',
	refused,
	'<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><Probe><Name>&x;</Name></Probe>',
	'application/xml',
	MALFORMED,
);
test('an unknown entity', refused, '<Probe><Name>&nbsp;</Name></Probe>', 'application/xml', MALFORMED);
test('XML nested a hundred thousand deep', refused, '<a>'.repeat(100_000), 'application/xml', MALFORMED);
test(
	'XML of a hundred thousand elements',
	refused,
	`<Probe>${'<a/>'.repeat(100_000)}</Probe>`,
	'application/xml',
	MALFORMED,
);
test('XML with a control character', refused, '<Probe><Name>a\u0001</Name></Probe>', 'application/xml', MALFORMED);
test('an attribute of a megabyte', refused, `<Probe a="${'x'.repeat(MEBI - 100)}"/>`, 'application/xml', BAD);
test('a document type that never ends', refused, `<!DOCTYPE ${'x'.repeat(MEBI - 100)}`, 'application/xml', MALFORMED);
test('a form', refused, `Name=${SENTINEL}`, 'application/x-www-form-urlencoded', BAD);
test('multipart junk', refused, `--x\r\n${SENTINEL}`, 'multipart/form-data; boundary=x', BAD);
test('a body without a type', refused, '{"Name":"a"}', '', BAD);
test('no body at all', refused, '', 'application/json', BAD);
test('a body above the limit', refused, `{"Name":"${'x'.repeat(MEBI)}"}`, 'application/json', BAD);
test('a compressed body', refused, gzipSync('{"Name":"a"}'), 'application/json', BAD, { 'content-encoding': 'gzip' });
test('a bomb', refused, gzipSync(Buffer.alloc(8 * MEBI)), 'application/json', BAD, { 'content-encoding': 'gzip' });

const taken = test.macro({
	async exec(t, payload: string | Buffer, contentType: string, name: string, headers: Record<string, string> = {}) {
		const { post } = await open(t);
		const response = await post(payload, contentType, headers);
		t.is(response.statusCode, 200, response.body);
		t.is(response.json().Name, name);
	},
	title: (text) => `${text} is taken`,
});
const NAMED = '<Probe><Name>Zoë</Name></Probe>';
test('JSON with a byte order mark', taken, '\ufeff{"name":"Zoë"}', 'text/json', 'Zoë');
test('a number as text', taken, '{"NAME":4111}', 'application/vnd.x+json', '4111');
test('an unknown member', taken, '{"Name":"a","other":[1,[2]],"x":1e999}', 'application/json', 'a');
test('XML in Latin-1 by its type', taken, Buffer.from(NAMED, 'latin1'), 'text/xml; charset=ISO-8859-1', 'Zoë');
test(
	'XML in Latin-1 by its declaration',
	taken,
	Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${NAMED}`, 'latin1'),
	'text/xml',
	'Zoë',
);
test('XML in any namespace', taken, '<p:Probe xmlns:p="u:x" xmlns="u:y"><p:Name>a</p:Name></p:Probe>', 'text/xml', 'a');
test(
	'XML with CDATA and references',
	taken,
	'<Probe><Name><![CDATA[<a>]]>&amp;&#65;</Name></Probe>',
	'text/xml',
	'<a>&A',
);
test('identity as an encoding', taken, '{"Name":"a"}', 'application/json', 'a', { 'content-encoding': 'identity' });
for (const name of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty']) {
	test(`a member named ${name}`, taken, `{"${name}":{"Name":"x","polluted":1},"Name":"a"}`, 'application/json', 'a');
	test(
		`an element named ${name}`,
		taken,
		`<Probe ${name}="x"><${name}>1</${name}><Name>a</Name></Probe>`,
		'text/xml',
		'a',
	);
}

test('nothing is inherited from a body', async (t) => {
	const { post } = await open(t);
	for (const payload of ['{"__proto__":{"Name":"x"}}', '{"constructor":{"prototype":{"Name":"x"}}}']) {
		t.is((await post(payload)).statusCode, 400);
	}
	t.is(({} as Record<string, unknown>).Name, undefined);
});

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
	const { rooms } = await open(t);
	const text = fc.string({ unit: anyCharacter, maxLength: 40 }).map((given) => encodeURI(given.toWellFormed()));
	await fc.assert(
		fc.asyncProperty(text, text, fc.boolean(), async (path, query, isRaw) => {
			const url = `/${isRaw ? `%${path}` : path}?${query}&sessionToken=${query}`;
			return (await rooms.app.inject({ method: 'GET', url })).statusCode < 500;
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
