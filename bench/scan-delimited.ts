// Measures how fast the scanner of delimited files is without the engine: `node bench/scan-delimited.ts [MB]`. The
// files are made in memory.

import { csv } from '../formats/csv.ts';
import { gbt } from '../formats/gbt.ts';
import { simplecsv } from '../formats/simplecsv.ts';
import { Findings, type Scanner } from '../src/engine/format.ts';

const WINDOW_BYTES = 128 * 1024;
const RUNS = 3;

interface Subject {
	readonly name: string;
	readonly header: string;
	readonly row: (i: number) => string;
	readonly lineEnd: string;
	readonly open: () => Scanner;
}

const numbers = ['4111111111111111', '5555555555554444', '6011000990139424', '3566002020360505'];
const number = (i: number) => numbers[i % numbers.length];
const tail = (i: number) => `EXAMPLE AIR LINE PARIS CDG NEW YORK JFK,CC${i % 9999},E${i % 500},2026-11-20,AB${i % 97}`;
const plainRow = (i: number) => `${1_000_000 + i},DUPONT/MARIE MRS,${number(i)},12/29,EUR,${i % 1000}.00,${tail(i)}`;
const plainHeader = 'Invoice,Passenger,Card Number,Card Expiry Date,Currency,Amount,Text,Centre,Employee,Date,Mark';
const openCsv = () => csv.scanner(csv.options.parse({}), 'tokenize');

const subjects: readonly Subject[] = [
	{ name: 'CSV, LF, no quotes', header: plainHeader, row: plainRow, lineEnd: '\n', open: openCsv },
	{ name: 'CSV, CRLF, no quotes', header: plainHeader, row: plainRow, lineEnd: '\r\n', open: openCsv },
	{
		name: 'CSV, one quoted cell',
		header: plainHeader,
		row: (i) => plainRow(i).replace('DUPONT/MARIE MRS', '"DUPONT, MARIE"'),
		lineEnd: '\r\n',
		open: openCsv,
	},
	{
		name: 'CSV, every cell quoted',
		header: plainHeader,
		row: (i) => `"${plainRow(i).replaceAll(',', '","')}"`,
		lineEnd: '\r\n',
		open: openCsv,
	},
	{
		name: 'CSV, column empty',
		header: plainHeader,
		row: (i) => plainRow(i).replace(number(i), ''),
		lineEnd: '\n',
		open: openCsv,
	},
	{
		name: 'CSV, rows skipped by pattern',
		header: plainHeader,
		row: plainRow,
		lineEnd: '\n',
		open: () => csv.scanner(csv.options.parse({ skipRowsMatching: '^(H|T),' }), 'tokenize'),
	},
	{
		name: 'SIMPLECSV, all fields',
		header:
			'CardNumber,ExpirationMonth,ExpirationYear,CVV,CardType,NameOnCard,Reference,Text,Centre,Employee,Date,Mark',
		row: (i) => `${number(i)},12,2029,123,Visa,MARIE DUPONT,REF-${i},${tail(i)}`,
		lineEnd: '\n',
		open: () => simplecsv.scanner(simplecsv.options.parse({}), 'tokenize'),
	},
	{
		name: 'GBT, two numbers a row',
		header: 'Invoice,Passenger,Card Number,Card Expiry Date,Currency,BTA Account Number,Text,Centre,Employee,Date,Mark',
		row: (i) => `${1_000_000 + i},DUPONT/MARIE MRS,${number(i)},12/29,EUR,379345123456784,${tail(i)}`,
		lineEnd: '\n',
		open: () => gbt.scanner(gbt.options.parse({}), 'tokenize'),
	},
];

/** Scans the file once, in windows as the engine makes them. Returns the number of findings. */
function scanOnce(scanner: Scanner, file: Buffer): number {
	const found = new Findings();
	let cards = 0;
	for (let at = 0; at < file.length; ) {
		const to = Math.min(file.length, at + WINDOW_BYTES);
		found.truncate(0);
		at = scanner.scan(file, at, to, to === file.length, found);
		cards += found.length;
	}
	return cards;
}

function measure(subject: Subject, bytes: number): Record<string, string | number> {
	const rows = Math.floor(bytes / (subject.row(1_000).length + subject.lineEnd.length));
	const lines = [subject.header];
	for (let i = 0; i < rows; i++) lines.push(subject.row(i));
	const file = Buffer.from(lines.join(subject.lineEnd) + subject.lineEnd, 'latin1');
	let bestMs = Number.POSITIVE_INFINITY;
	let cards = 0;
	for (let run = 0; run < RUNS; run++) {
		const startedAt = performance.now();
		cards = scanOnce(subject.open(), file);
		bestMs = Math.min(bestMs, performance.now() - startedAt);
	}
	return {
		file: subject.name,
		'bytes/row': Math.round(file.length / rows),
		cards,
		'rows/s': Math.round(rows / (bestMs / 1000)).toLocaleString('en'),
		'ns/row': Math.round((bestMs * 1e6) / rows),
		'MB/s': Math.round(file.length / 1e3 / bestMs),
	};
}

const megabytes = Number(process.argv[2] ?? 100);
console.log(
	`Node ${process.version}, files of ${megabytes} MB, windows of ${WINDOW_BYTES / 1024} KiB, best of ${RUNS} runs`,
);
console.table(subjects.map((subject) => measure(subject, megabytes * 1e6)));
