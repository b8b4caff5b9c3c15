import test from 'ava';
import { iur } from '../../formats/iur/iur.ts';
import { DEFAULT_KEYWORDS } from '../../formats/scan/free-text.ts';
import { FileError, Findings } from '../../src/engine/format.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { checkFixture } from '../helpers/line-fixtures.ts';
import { scanAll } from '../helpers/scan.ts';

/** Enough void records to be longer than the head that the scanner waits for. */
const PADDING = Buffer.from('AA20NOV0915M0517          0015262536751 01  ABCDEF\r\n'.repeat(200));

for (const fixture of fixtureCases('IUR')) {
	test(`fixture ${fixture.name}: ${fixture.note}`, (t) => checkFixture(t, iur, fixture, PADDING));
}

const TOKEN = 'CCA5D1229E0B47F1A9C0DE5F6AB01E2D';

function fixtureBytes(name: string): Buffer {
	const fixture = fixtureCases('IUR').find((candidate) => candidate.name === name);
	if (fixture === undefined) throw new Error(`no fixture ${name}`);
	return fixture.bytes;
}

test('the defaults are the keywords of the vocabulary, free text on, tails for what does not fit its columns', (t) => {
	const { keywords, ...rest } = iur.options.parse({});
	t.deepEqual(keywords, DEFAULT_KEYWORDS);
	t.deepEqual(rest, { freeText: true, fixedOverflow: 'tail' });
});

test('fields are never widened', (t) => {
	t.false(iur.options.safeParse({ fixedOverflow: 'expand' }).success);
	t.false(iur.options.safeParse({ expand: true }).success);
});

test('the number of an MG is swapped against a tail at the end of its line, and back', (t) => {
	const file = fixtureBytes('10-mg');
	const options = iur.options.parse({});
	const findings = scanAll(iur, options, file);
	t.is(findings.length, 5);
	const pieces: string[] = [];
	let copied = 0;
	for (const { number, shape, sideStart = 0 } of findings) {
		t.is(shape, 'columns');
		pieces.push(file.toString('latin1', copied, number.offset), 'X'.repeat(number.length - 4), number.raw.slice(-4));
		pieces.push(file.toString('latin1', number.offset + number.length, sideStart), ` TKN-${TOKEN}`);
		t.is(file.toString('latin1', sideStart, sideStart + 2), '\r\n');
		copied = sideStart;
	}
	const tokenized = Buffer.from(pieces.join('') + file.toString('latin1', copied), 'latin1');
	for (const direction of ['detokenize', 'tokenize'] as const) {
		const back = scanAll(iur, options, tokenized, { direction });
		t.is(back.length, findings.length);
		for (const [index, { number, shape, sideStart = 0, sideEnd = 0, line, expiry }] of back.entries()) {
			t.is(shape, 'columns');
			t.is(number.raw, TOKEN);
			t.is(line, findings[index].line);
			t.is(expiry, findings[index].expiry);
			t.is(sideEnd - sideStart, findings[index].number.length);
			t.regex(tokenized.toString('latin1', sideStart, sideEnd), /^X+\d{4}$/);
		}
	}
});

test('every beginning of an IUR file is refused, or ends where a part of a record ends or in its text', (t) => {
	const file = fixtureBytes('18-no-last-line-end');
	const options = iur.options.parse({});
	const findings = scanAll(iur, options, file);
	for (let length = 0; length < file.length; length++) {
		const cut = file.subarray(0, length);
		let found: ReturnType<typeof scanAll>;
		try {
			found = scanAll(iur, options, cut);
		} catch (error) {
			t.true(error instanceof FileError);
			continue;
		}
		// A cut file that passes has no part of a number at a structured place: only the text of line 37 may be cut within one.
		const whole = findings.filter(({ number }) => number.offset + number.length <= length);
		const torn = findings.find(({ number }) => number.offset < length && length < number.offset + number.length);
		t.deepEqual(
			found.slice(0, whole.length).map(({ number }) => number),
			whole.map(({ number }) => number),
		);
		t.true(torn === undefined || torn.line === 37, `${length} bytes`);
	}
});

test('an M2 whose lines are missing does not swallow the next sub-record', (t) => {
	const file = Buffer.from(
		[
			'AA20NOV0915M0117',
			'M201ADT',
			'M50101  XX#5262536751/    .00/  410.00/ 128.02/ONE/CCVI4111111111111111 1.1DUPONT/1/F/E',
			'M901CLIENT',
			'',
		].join('\n'),
	);
	t.deepEqual(
		scanAll(iur, iur.options.parse({}), file).map(({ number }) => number.raw),
		['4111111111111111'],
	);
});

test('a record with more M2 than any booking has keeps the latest', (t) => {
	const lines = ['AA20NOV0915M0117'];
	for (let i = 0; i < 300; i++) {
		const m2 = `M2${String(i % 100).padStart(2, '0')}ADT`.padEnd(221);
		lines.push(`${m2}1229`, '01', '01', '*VI4111111111111111');
		for (let line = 4; line <= 11; line++) lines.push('');
	}
	lines.push('M50199  XX#5262536751/ .00/ 410.00/ 128.02/ONE/CCVI4111111111111111 1.1DUPONT/1/F/E', '');
	const findings = scanAll(iur, iur.options.parse({}), Buffer.from(lines.join('\r')));
	t.is(findings.length, 301);
	t.is(findings[300].expiry, 202912);
});

const LINES = [
	'AA20NOV0915M0117',
	'4111 phone 1',
	'M101DUPONT 2',
	'M501 3',
	'M901CLIENT 4',
	'JOHN 5',
	'MGM GRAND 6',
	'M301 7',
	'',
];

test('a place is called by the name of the sub-record that its line begins, and by nothing elsewhere', (t) => {
	const bytes = Buffer.from(LINES.join('\r\n'));
	const scanner = iur.scanner(iur.options.parse({}), 'tokenize');
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	t.true(scanner.hasCardPlace);
	t.deepEqual(
		[...'1234567'].map((digit) => scanner.fieldAt?.(bytes, 0, bytes.indexOf(` ${digit}`) + 1)),
		[undefined, 'M1', 'M5', 'M9', undefined, undefined, 'M3'],
	);
	t.is(scanner.fieldAt?.(bytes, 0, 15), 'M0');
});

test('a line of the header is named for a number written digit by digit, wherever that begins', (t) => {
	for (const before of ['', 'X', 'XY', 'TEL ', 'PHONE']) {
		const number = '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1';
		const bytes = Buffer.concat([Buffer.from(`AA20NOV0915M0117\r\n${before}${number}\r\n`), PADDING]);
		const scanner = iur.scanner(iur.options.parse({}), 'tokenize');
		scanner.scan(bytes, 0, bytes.length, true, new Findings());
		t.is(scanner.fieldAt?.(bytes, 0, bytes.indexOf(number)), 'M0', before);
	}
});

test('no token fits into a line with fixed columns', (t) => {
	const bytes = Buffer.from(LINES.join('\r\n'));
	const scanner = iur.scanner(iur.options.parse({}), 'tokenize');
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	const shapes = ['0117', ' phone', 'DUPONT', '3\r', 'CLIENT', 'JOHN', 'GRAND', '7\r'].map((text) => {
		const at = bytes.indexOf(text);
		return scanner.shapeAt?.(bytes, 0, at, at + 1);
	});
	t.deepEqual(shapes, ['columns', 'plain', 'columns', 'plain', 'plain', 'plain', 'columns', 'columns']);
});

test('a card in fixed columns that could not come back is told of', (t) => {
	const file = fixtureBytes('55-columns-left');
	const found = new Findings();
	iur.scanner(iur.options.parse({}), 'tokenize').scan(file, 0, file.length, true, found);
	t.deepEqual(
		[...found.notices].map((text) => text.split(':')[0]),
		['A card in fixed columns was left in clear'],
	);
});

test('two cards of a fixed line get a tail each, in their order', (t) => {
	const file = fixtureBytes('53-guarantees');
	const columns = scanAll(iur, iur.options.parse({}), file).filter(({ shape }) => shape === 'columns');
	t.deepEqual(
		columns.map(({ number }) => number.raw),
		['4111111111111111', '4111111111111111', '36227206271667'],
	);
	t.is(columns[1].sideStart, columns[2].sideStart);
	t.is(file.toString('latin1', columns[2].sideStart, (columns[2].sideStart ?? 0) + 2), '\r\n');
	t.is(columns[2].cvv?.raw, '123');
});

test('blanks may fill the columns between a number and its expiry in four digits', (t) => {
	for (const [expiry, expected] of [
		['/1229/', 202912],
		['/12/29/', 202912],
		['/1329/', 0],
		['/12291/', 0],
	] as const) {
		const file = Buffer.from(`AA20NOV0915M0117\nMB0101NM\nPY/CC/AX/378282246310005     ${expiry}\n`);
		t.is(scanAll(iur, iur.options.parse({}), file)[0].expiry, expected, expiry);
	}
});
