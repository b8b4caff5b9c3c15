import test from 'ava';
import { air } from '../../../formats/air/air.ts';
import { iur } from '../../../formats/iur/iur.ts';
import { endOfLine, HEAD_BYTES, type LineReader, LineScanner } from '../../../formats/scan/lines/lines.ts';
import { FileError, Findings, type Format } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';

interface SeenLine {
	readonly text: string;
	readonly number: number;
}

function openRecorder() {
	const seen: SeenLine[] = [];
	let closedAt: { lastLine: string; number: number } | undefined;
	const reader: LineReader = {
		open() {},
		line(bytes, start, end, number) {
			seen.push({ text: bytes.toString('latin1', start, end), number });
		},
		close(bytes, lastStart, end, number) {
			closedAt = { lastLine: bytes.toString('latin1', lastStart, end), number };
		},
		markCodes() {},
		tagOf(bytes, start, end) {
			return bytes.toString('latin1', start, Math.min(end, start + 2));
		},
	};
	return { reader, seen, closed: () => closedAt };
}

/** Feeds a file piece by piece, carrying the unsettled rest over, as the engine does. */
function feed(reader: LineReader, file: Buffer, size: number): void {
	const scanner = new LineScanner(reader, 'tokenize');
	let settled = 0;
	for (let arrived = 0; arrived < file.length || arrived === 0; ) {
		arrived = Math.min(file.length, arrived + size);
		const isLast = arrived === file.length;
		settled += scanner.scan(file.subarray(settled, arrived), 0, arrived - settled, isLast, new Findings());
		if (isLast) return;
	}
}

const lineEnds = test.macro({
	exec(t, file: string, expected: string[], lastLine: string | undefined) {
		for (const size of [1, 2, 3, 5, 1000]) {
			const { reader, seen, closed } = openRecorder();
			feed(reader, Buffer.from(file, 'latin1'), size);
			t.deepEqual(
				seen,
				expected.map((text, index) => ({ text, number: index + 1 })),
			);
			t.deepEqual(closed()?.lastLine, lastLine);
		}
	},
	title: (name) => `lines: ${name}, however the file is cut`,
});

const head = 'x 1-'.repeat(HEAD_BYTES / 4);

test('LF ends lines', lineEnds, `${head}\na\n\nb\n`, [head, 'a', '', 'b'], '');
test('CR ends lines', lineEnds, `${head}\ra\r\rb\r`, [head, 'a', '', 'b'], '');
test('CRLF is one line end', lineEnds, `${head}\r\na\r\n\r\nb\r\n`, [head, 'a', '', 'b'], '');
test('LF CR is two line ends', lineEnds, `${head}\n\ra`, [head, '', 'a'], 'a');
test('CR CR LF is two line ends', lineEnds, `${head}\r\r\na`, [head, '', 'a'], 'a');
test('a missing last line end stays missing', lineEnds, `${head}\nab`, [head, 'ab'], 'ab');
test('a byte order mark is no part of the first line', lineEnds, `\xef\xbb\xbf${head}\na`, [head, 'a'], 'a');
test('an empty file has no lines', lineEnds, '', [], undefined);
test('a short file is opened at its end', lineEnds, 'a\nb', ['a', 'b'], 'b');

test('a form feed ends a line and counts for none', (t) => {
	for (const size of [1, 2, 5, 1000]) {
		const { reader, seen, closed } = openRecorder();
		feed(reader, Buffer.from('a\r\fb\r\n\fc\f'), size);
		t.deepEqual(seen, [
			{ text: 'a', number: 1 },
			{ text: '', number: 2 },
			{ text: 'b', number: 2 },
			{ text: '', number: 3 },
			{ text: 'c', number: 3 },
		]);
		t.deepEqual(closed(), { lastLine: '', number: 3 });
	}
});

test('a place is called by the beginning of its line, and a file has one once its head was read', (t) => {
	const scanner = new LineScanner(openRecorder().reader, 'tokenize');
	t.false(scanner.hasCardPlace);
	const bytes = Buffer.from('xxAB one\r\nCD two\fEF three');
	scanner.scan(bytes, 2, bytes.length, true, new Findings());
	t.true(scanner.hasCardPlace);
	t.is(scanner.fieldAt(bytes, 2, bytes.indexOf('one')), 'AB');
	t.is(scanner.fieldAt(bytes, 2, bytes.indexOf('two')), 'CD');
	t.is(scanner.fieldAt(bytes, 2, bytes.indexOf('three')), 'EF');
	t.is(scanner.fieldAt(bytes, 2, bytes.indexOf('AB')), '');
});

test('nothing is settled before the head of the file is there', (t) => {
	const { reader, seen } = openRecorder();
	const scanner = new LineScanner(reader, 'tokenize');
	const bytes = Buffer.from('a\nb\n');
	t.is(scanner.scan(bytes, 0, bytes.length, false, new Findings()), 0);
	t.deepEqual(seen, []);
});

test('a line without end asks for a longer window', (t) => {
	const scanner = new LineScanner(openRecorder().reader, 'tokenize');
	const bytes = Buffer.from(`${head}\n${head}`);
	t.is(scanner.scan(bytes, 0, bytes.length, false, new Findings()), HEAD_BYTES + 1);
	t.is(scanner.scan(bytes, HEAD_BYTES + 1, bytes.length, false, new Findings()), HEAD_BYTES + 1);
});

test('a foreign encoding is refused before the layout is asked', (t) => {
	const scanner = new LineScanner(openRecorder().reader, 'tokenize');
	const bytes = Buffer.from('\ufeffa\n', 'utf16le');
	t.throws(() => scanner.scan(bytes, 0, bytes.length, true, new Findings()), { instanceOf: FileError });
});

test('a NUL behind the head refuses the file and names its line, however the file is cut', (t) => {
	const file = Buffer.from(`${head}\r\na\n\fb\r\u0000c\n`);
	for (const size of [1, 2, 3, 1000, HEAD_BYTES, 100_000]) {
		const scanner = new LineScanner(openRecorder().reader, 'tokenize');
		let settled = 0;
		const feedAll = () => {
			for (let to = size; settled < file.length; to += size) {
				// The bytes behind the window are no part of the file, so NULs there must not matter.
				const window = Buffer.concat([file.subarray(settled, to), Buffer.alloc(4)]);
				const length = window.length - 4;
				settled += scanner.scan(window, 0, length, to >= file.length, new Findings());
			}
		};
		const error = t.throws(feedAll, { instanceOf: FileError, message: /NUL byte/ });
		t.is(error.at.offset + settled, file.indexOf(0));
		t.is(error.at.line, 4);
	}
});

test('NULs that fill the last block of an AIR or IUR stay, and its cards are found, however the file is cut', (t) => {
	const airHead = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\r\nAMD 1\r\nGW1\r\nMUC1A 1\r\n';
	const iurHead = 'AA20NOV0915M0117\r\nM50101  XX#0000000001/ 10/ 100/ 10/ONE/CA 1.1DUPONT\r\n';
	const files = [
		{ format: air, text: `${airHead}FPCCVI4111111111111111/1229\r\nENDX` },
		{ format: air, text: `${airHead}FPCCVI4111111111111111/1229\r\nENDX\r\n` },
		{ format: iur, text: `${iurHead}M901VI4111111111111111/1229\r\n` },
		{ format: air, text: `${airHead}${'RM X\r\n'.repeat(2000)}FPCCVI4111111111111111/1229\r\nENDX\r` },
	] as { format: Format<never>; text: string }[];
	for (const { format, text } of files) {
		for (const padding of [1, 100, 5000]) {
			const bytes = Buffer.concat([Buffer.from(text), Buffer.alloc(padding)]);
			for (const windowSizes of [undefined, [1000], [7, 4096]]) {
				const found = scanAll(format, format.options.parse({}), bytes, { windowSizes });
				t.deepEqual(
					found.map(({ number }) => number.raw),
					['4111111111111111'],
				);
			}
		}
	}
});

test('NULs alone are no file of lines, and text behind NULs is refused', (t) => {
	const options = air.options.parse({});
	const scan = (text: string) => scanAll(air, options, Buffer.from(text));
	t.throws(() => scan('\0'.repeat(512)), { instanceOf: FileError, message: /NUL byte near the start/ });
	t.throws(() => scan(`AIR-BLK207\nENDX\n\0\0\nENDX\n\0`), { instanceOf: FileError, message: /NUL byte/ });
});

test('a line ends at the first CR or LF, or where the bytes end', (t) => {
	t.is(endOfLine(Buffer.from('ab\r\n'), 0, 4), 2);
	t.is(endOfLine(Buffer.from('ab\tc'), 0, 4), 4);
	t.is(endOfLine(Buffer.from('ab\n'), 0, 2), 2);
});
