// Tests that any bad body is answered with a 4xx and the right code, that the answer repeats nothing of the body and shows
// nothing of the code, and that memory does not grow with the body.

import { gzipSync } from 'node:zlib';
import test from 'ava';
import { BAD, laughs, MALFORMED, MEBI, open, refused, SENTINEL, taken } from './fuzz.setup.ts';

test('JSON that is cut', refused, `{"Name":"${SENTINEL}`, 'application/json', MALFORMED);
test('a JSON list where an object is due', refused, `["${SENTINEL}"]`, 'application/json', BAD);
test('a JSON number where an object is due', refused, '4111111111111111', 'application/json', BAD);
test('JSON null', refused, 'null', 'application/json', BAD);
test('a megabyte of objects in each other', refused, '{"Name":'.repeat(130_000), 'application/json', MALFORMED);
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
test('XML with a control character', refused, '<Probe><Name>a\u0001</Name></Probe>', 'application/xml', MALFORMED);
test('a form', refused, `Name=${SENTINEL}`, 'application/x-www-form-urlencoded', BAD);
test('multipart junk', refused, `--x\r\n${SENTINEL}`, 'multipart/form-data; boundary=x', BAD);
test('no body at all', refused, '', 'application/json', BAD);
test('a body above the limit', refused, `{"Name":"${'x'.repeat(MEBI)}"}`, 'application/json', BAD);
test('a compressed body', refused, gzipSync('{"Name":"a"}'), 'application/json', BAD, { 'content-encoding': 'gzip' });
test('a bomb', refused, gzipSync(Buffer.alloc(8 * MEBI)), 'application/json', BAD, { 'content-encoding': 'gzip' });

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
