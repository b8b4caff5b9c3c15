import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { decodeBody } from '../../src/doors/http/input/body-text.ts';

const TEXT = '<?xml version="1.0" encoding="utf-16"?><Name>Jürg</Name>';

test('XML in UTF-16 is read by its byte order mark', (t) => {
	const littleEndian = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
	t.is(decodeBody(littleEndian, 'application/xml'), TEXT);
	t.is(decodeBody(Buffer.from(littleEndian).swap16(), 'application/xml'), TEXT);
});

test('the charset of the content type comes before what the text declares', (t) => {
	t.is(decodeBody(Buffer.from(TEXT), 'application/xml; charset=utf-8'), TEXT);
	t.is(decodeBody(Buffer.from(TEXT, 'latin1'), 'application/xml; charset="iso-8859-1"'), TEXT);
	t.is(decodeBody(Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>ü', 'latin1')).at(-1), 'ü');
});

const refuses = test.macro({
	exec(t, bytes: Buffer, contentType: string, moreInfo: string) {
		const error = t.throws(() => decodeBody(bytes, contentType), { instanceOf: ServiceError }) as ServiceError;
		t.is(error.reason, 'message-malformed');
		t.is(error.moreInfo, moreInfo);
	},
	title: (title) => `a body is refused: ${title}`,
});
const NOT_TEXT = 'body: bytes that are not text in its character set';
test('not UTF-8', refuses, Buffer.from('Jürg', 'latin1'), 'application/json', NOT_TEXT);
test('an odd byte of UTF-16', refuses, Buffer.from([0xff, 0xfe, 0x41]), 'application/xml', NOT_TEXT);
test('a charset nobody knows', refuses, Buffer.from('{}'), 'text/json; charset=foo', 'Content-Type: unknown charset');
