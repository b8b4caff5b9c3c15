// Measures how fast the scanners of formats are without the engine: `node bench/scan.ts [delimited|lines|markup-json] [MB]`. The
// files are made in memory. Each is scanned some times, and the best time counts, because the machine may be busy meanwhile.

import { air } from '../formats/air/air.ts';
import { csv } from '../formats/csv.ts';
import { gbt } from '../formats/gbt.ts';
import { iur } from '../formats/iur/iur.ts';
import { simplecsv } from '../formats/simplecsv.ts';
import { simplejson } from '../formats/simplejson.ts';
import { tadc } from '../formats/tadc.ts';
import { Findings, type Format, type Scanner } from '../src/engine/format.ts';

const WINDOW_BYTES = 256 * 1024;
const RUNS = 5;

/** A file: its first bytes, what is repeated with a number that counts up, and its last bytes. */
interface Subject {
	readonly name: string;
	readonly open: () => Scanner;
	readonly head?: string;
	readonly record: (i: number) => string;
	readonly tail?: string;
}

const opened = <Options>(format: Format<Options>, options: object = {}) =>
	format.scanner(format.options.parse(options), 'tokenize');

const numbers = ['4111111111111111', '5555555555554444', '6011000990139424', '3566002020360505'];
const number = (i: number) => numbers[i % numbers.length];
const tail = (i: number) => `EXAMPLE AIR LINE PARIS CDG NEW YORK JFK,CC${i % 9999},E${i % 500},2026-11-20,AB${i % 97}`;
const plainRow = (i: number) => `${1_000_000 + i},DUPONT/MARIE MRS,${number(i)},12/29,EUR,${i % 1000}.00,${tail(i)}`;
const plainHeader = 'Invoice,Passenger,Card Number,Card Expiry Date,Currency,Amount,Text,Centre,Employee,Date,Mark';
const openCsv = () => opened(csv);

/** A delimited file; each row ends with `lineEnd`. */
function delimited(
	name: string,
	header: string,
	row: (i: number) => string,
	open: () => Scanner = openCsv,
	lineEnd = '\n',
): Subject {
	return { name, open, head: header + lineEnd, record: (i) => row(i) + lineEnd };
}

const DELIMITED: readonly Subject[] = [
	delimited('CSV, LF, no quotes', plainHeader, plainRow),
	delimited('CSV, CRLF, no quotes', plainHeader, plainRow, openCsv, '\r\n'),
	delimited(
		'CSV, one quoted cell',
		plainHeader,
		(i) => plainRow(i).replace('DUPONT/MARIE MRS', '"DUPONT, MARIE"'),
		openCsv,
		'\r\n',
	),
	delimited('CSV, every cell quoted', plainHeader, (i) => `"${plainRow(i).replaceAll(',', '","')}"`, openCsv, '\r\n'),
	delimited('CSV, column empty', plainHeader, (i) => plainRow(i).replace(number(i), '')),
	delimited('CSV, rows skipped by pattern', plainHeader, plainRow, () => opened(csv, { skipRowsMatching: '^(H|T),' })),
	delimited(
		'SIMPLECSV, all fields',
		'CardNumber,ExpirationMonth,ExpirationYear,CVV,CardType,NameOnCard,Reference,Text,Centre,Employee,Date,Mark',
		(i) => `${number(i)},12,2029,123,Visa,MARIE DUPONT,REF-${i},${tail(i)}`,
		() => opened(simplecsv),
	),
	delimited(
		'GBT, two numbers a row',
		'Invoice,Passenger,Card Number,Card Expiry Date,Currency,BTA Account Number,Text,Centre,Employee,Date,Mark',
		(i) => `${1_000_000 + i},DUPONT/MARIE MRS,${number(i)},12/29,EUR,379345123456784,${tail(i)}`,
		() => opened(gbt),
	),
];

const AIR_FRAME = [
	'AIR-BLK207;7A;;233;0000000000;1A1200000;001001',
	'AMD 0100000001;1/1;              ',
	'1A1200000;1A1200000',
	'MUC1A ABCDEF003;0101;PARXX2100;20200001;PARXX2100;20200001;PARXX2100;20200001;PARXX2100;20200001;;;;;;XX ABCDEF',
	'H-001;002OCDG;PARIS CDG        ;JFK;NEW YORK JFK     ;XX    0006 Y Y 01MAR1330 1545 01MAR;OK01;HK01;M ;0;77W;;',
	'I-001;01MARTIN/JEAN MR;;APPAR 0142000000 - EXAMPLE TRAVEL - A//E-J.MARTIN@EXAMPLE.COM;;',
	'SSR FQTV XX  HK1/XX4006381333931236;P1',
	'T-K571-5262536701',
];
const FORM = '/    .00/  410.00/ 128.02/ONE/';
const IUR_FRAME = [
	'AA20NOV0915M0117                    000012312 34567 8ABCDEF          611111             AB1C *AAAA',
	...['', 'EXAMPLE TRAVEL', '1 RUE EXEMPLE', '75001 PARIS', '', '', '4420738782644', ''],
	`${'M201ADT00000000001X 2             EUR  410.00   98.00YQ   30.02FR'.padEnd(221)}1229  0101XX5262536751`,
	...['01', '01', '*VI4111111111111111', '', '', 'NONREF', '', '', '', '', ''],
];

const AIR_TEXT = `RIF ${'INVOICE TOTAL EUR538.02 '.repeat(3)}`;
const M5 = `M50101  XX#5262536751${FORM}CCVI4111111111111111 1.1DUPONT MARIE/1/F/E`;

function lines<Options>(name: string, format: Format<Options>, ...record: string[]): Subject {
	const text = `${record.join('\r\n')}\r\n`;
	return { name, open: () => opened(format), record: () => text };
}
const repeated = (...record: string[]) => Array.from({ length: 100 }, () => record).flat();

const LINES: readonly Subject[] = [
	lines(
		'AIR, whole records, no card',
		air,
		...[...AIR_FRAME, 'FPCASH', 'RM*ACC/-LK-MAC2/-FOP-CASH/-TK-2211333556', 'RM REMARK WITHOUT ANY CARD', 'ENDX'],
	),
	lines(
		'AIR, whole records, one card',
		air,
		...[...AIR_FRAME, 'FPCCVI4111111111111111/1229/A123456;S2;P1', 'RM REMARK WITHOUT ANY CARD', 'ENDX'],
	),
	lines(
		'AIR, one card in 120 bytes',
		air,
		...[...AIR_FRAME.slice(0, 4), ...repeated('FPCCVI4111111111111111/1229/A123456;S2;P1', AIR_TEXT), 'ENDX'],
	),
	lines(
		'AIR, one card in 120 bytes, in remarks',
		air,
		...[...AIR_FRAME.slice(0, 4), ...repeated('RM VISA CARD 4111 1111 1111 1111 CVV 123', AIR_TEXT), 'ENDX'],
	),
	lines('IUR, whole records, M2 and M5 card', iur, ...IUR_FRAME, M5, 'M901CLIENT'),
	lines(
		'IUR, whole records, no card',
		iur,
		...[...IUR_FRAME.map((line) => line.replace(/^\*VI\d+/, 'CASH')), 'M801COST CENTRE 4711', 'M901CLIENT'],
	),
	lines('IUR, one card in 120 bytes', iur, ...IUR_FRAME, ...repeated(M5 + ' '.repeat(25))),
];

const jsonCard = (i: number) =>
	`{"cardNumber":"4111111111111111","expirationMonth":"12","expirationYear":"2029","cardType":"Visa","nameOnCard":"MARIE DUPONT ${i}","reference":"REF-${i}"}\n`;
const jsonPretty = (i: number) =>
	`  {\n    "bookingId": ${i},\n    "passenger": "DUPONT/MARIE MRS",\n    "card": {\n      "number": "4111111111111111",\n      "expirationDate": "2029-12"\n    },\n    "amount": 538.02\n  },\n`;
const jsonPlain = (i: number) =>
	`{"bookingId":${i},"passenger":"DUPONT/MARIE MRS","segments":["LH123","AF456"],"amount":538.02,"remarks":"window seat if at all possible, please"}\n`;
const xmlCard = (i: number) =>
	`      <PaymentCard><CardType>VI</CardType><CardNumber>4111111111111111</CardNumber><ExpirationDate>1229</ExpirationDate><NameOnCard>MARIE DUPONT ${i}</NameOnCard></PaymentCard>\n`;
const xmlAttributes = (i: number) =>
	`<PaymentCard CardCode="VI" CardNumber="4111111111111111" ExpireDate="1229" Reference="REF-${i}"/>\n<Amount currency="EUR">538.02</Amount>\n`;
const xmlPlain = (i: number) =>
	`    <Transaction id="${i}">\n      <TicketNumber>4595262536753</TicketNumber>\n      <PassengerName>DUPONT/MARIE MRS</PassengerName>\n      <Amount currency="EUR">538.02</Amount>\n    </Transaction>\n`;

const MARKUP_JSON: readonly Subject[] = [
	{ name: 'JSON, NDJSON, a card a line', open: () => opened(simplejson), record: jsonCard },
	{ name: 'JSON, pretty array', open: () => opened(simplejson), head: '[\n', record: jsonPretty, tail: '{}]' },
	{ name: 'JSON, no card', open: () => opened(simplejson), record: jsonPlain },
	{ name: 'XML, elements', open: () => opened(tadc), head: '<Batch>\n', record: xmlCard, tail: '</Batch>' },
	{ name: 'XML, attributes', open: () => opened(tadc), head: '<Batch>\n', record: xmlAttributes, tail: '</Batch>' },
	{ name: 'XML, no card', open: () => opened(tadc), head: '<Batch>\n', record: xmlPlain, tail: '</Batch>' },
];

function make({ head = '', record, tail = '' }: Subject, bytes: number): { file: Buffer; records: number } {
	const parts = [Buffer.from(head, 'latin1')];
	let records = 0;
	for (let length = 0; length < bytes; length += parts[parts.length - 1].length) {
		let block = '';
		while (block.length < WINDOW_BYTES) block += record(records++);
		parts.push(Buffer.from(block, 'latin1'));
	}
	return { file: Buffer.concat([...parts, Buffer.from(tail)]), records };
}

/** Scans the file once, in windows as the engine makes them. Returns the number of findings. */
function scanOnce(scanner: Scanner, file: Buffer): number {
	const found = new Findings();
	let cards = 0;
	for (let at = 0, to = 0; at < file.length; ) {
		to = Math.min(file.length, to + WINDOW_BYTES);
		found.truncate(0);
		at = scanner.scan(file, at, to, to === file.length, found);
		cards += found.length;
	}
	return cards;
}

function measure(subject: Subject, bytes: number): Record<string, string | number> {
	const { file, records } = make(subject, bytes);
	let bestMs = Number.POSITIVE_INFINITY;
	let cards = 0;
	for (let run = 0; run < RUNS; run++) {
		const startedAt = performance.now();
		cards = scanOnce(subject.open(), file);
		bestMs = Math.min(bestMs, performance.now() - startedAt);
	}
	return {
		file: subject.name,
		cards,
		'bytes/record': Math.round(file.length / records),
		'ns/record': Math.round((bestMs * 1e6) / records),
		'cards/s': Math.round((cards / bestMs) * 1000).toLocaleString('en'),
		'MB/s': Math.round(file.length / 1e3 / bestMs),
	};
}

const KINDS: Readonly<Record<string, readonly Subject[]>> = {
	delimited: DELIMITED,
	lines: LINES,
	'markup-json': MARKUP_JSON,
};
const [, , kind, megabytes = '64'] = process.argv;
const subjects = kind === undefined ? Object.values(KINDS).flat() : KINDS[kind];
console.log(
	`Node ${process.version}, files of ${megabytes} MB, windows of ${WINDOW_BYTES / 1024} KiB, best of ${RUNS} runs`,
);
console.table(subjects.map((subject) => measure(subject, Number(megabytes) * 1e6)));
