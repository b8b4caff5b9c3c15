import { gzipSync } from 'node:zlib';
import test from 'ava';
import { isHeadComplete, refuseForeignEncoding, SNIFF_BYTES } from '../../../formats/scan/encoding.ts';
import { bomLength } from '../../../src/base/text/byte-order-mark.ts';
import { FileError } from '../../../src/engine/format.ts';

const MARGIN = 5;

/** Checks the encoding of a head that stands between NULs, which are not part of it. */
function refuse(head: Buffer): void {
	const bytes = Buffer.concat([Buffer.alloc(MARGIN), head, Buffer.alloc(MARGIN)]);
	refuseForeignEncoding(bytes, MARGIN, MARGIN + head.length);
}

const accepted = test.macro({
	exec: (t, head: Buffer) => t.notThrows(() => refuse(head)),
	title: (what) => `${what} is let in`,
});

const refused = test.macro({
	exec(t, head: Buffer, message: RegExp, offset: number) {
		const error = t.throws(() => refuse(head), { instanceOf: FileError, message });
		t.is(error.at.offset, offset + MARGIN);
	},
	title: (what) => `${what} is refused by name`,
});

test('an empty file', accepted, Buffer.alloc(0));
test('ASCII', accepted, Buffer.from('Card,Exp\n'));
test('UTF-8 with a byte order mark', accepted, Buffer.from('\ufeffCard;Gültig\n'));
test('Latin-1', accepted, Buffer.from('Prüfziffer\r\n', 'latin1'));
test('a short word in another script', accepted, Buffer.from('карта'));
test('a Cyrillic header row', accepted, Buffer.from('карта;срок действия;сумма\n'));
test('a Chinese header row', accepted, Buffer.from('卡号,有效期,持卡人姓名\n'));
test('a NUL after the head', accepted, Buffer.concat([Buffer.alloc(SNIFF_BYTES, 'a'), Buffer.from([0])]));

const utf16 = Buffer.from('Card,Exp\n', 'utf16le');
test('UTF-16 with a little-endian mark', refused, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), /UTF-16;/, 0);
test('UTF-16 with a big-endian mark', refused, Buffer.from([0xfe, 0xff, 0, 0x43]), /UTF-16;/, 0);
test('UTF-16 without a mark', refused, utf16, /NUL byte/, 1);
test('UTF-32 with a little-endian mark', refused, Buffer.from([0xff, 0xfe, 0, 0, 0x43, 0, 0, 0]), /UTF-32;/, 0);
test('UTF-32 with a big-endian mark', refused, Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x43]), /UTF-32;/, 0);
// The file holds "CARD" and a number in code page 037, padded with EBCDIC blanks, which are @ in ASCII.
const ebcdic = Buffer.concat([
	Buffer.from([0xc3, 0xc1, 0xd9, 0xc4, 0x25, 0xf4]),
	Buffer.alloc(15, 0xf1),
	Buffer.alloc(60, 0x40),
	Buffer.from([0x25]),
]);
test('EBCDIC', refused, ebcdic, /EBCDIC;/, 0);
const csv = Buffer.from('Card,Exp\n4111111111111111,12/29\n');
test('an Excel workbook', refused, Buffer.concat([Buffer.from('PK\x03\x04\x14'), csv]), /ZIP archive or an Excel/, 0);
test('an old Excel workbook', refused, Buffer.from('d0cf11e0a1b11ae1', 'hex'), /\.xls/, 0);
test('a compressed file', refused, gzipSync(csv), /gzip/, 0);
test('a PDF document', refused, Buffer.from('%PDF-1.4\n1 0 obj\n'), /PDF/, 0);
test('text that speaks of one', accepted, Buffer.from('PK,Number of %PDF-files\n'));

test('the head is complete at its full length or at the end of the file', (t) => {
	t.false(isHeadComplete(10, 10 + SNIFF_BYTES - 1, false));
	t.true(isHeadComplete(10, 10 + SNIFF_BYTES, false));
	t.true(isHeadComplete(10, 10, true));
});

test('only a whole UTF-8 mark at the start counts', (t) => {
	const bytes = Buffer.from('x\ufeffa');
	t.is(bomLength(bytes, 1, bytes.length), 3);
	t.is(bomLength(bytes, 1, 3), 0);
	t.is(bomLength(bytes, 0, bytes.length), 0);
});
