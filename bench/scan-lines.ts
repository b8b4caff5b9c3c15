// Measures how fast AIR and IUR files are scanned, without the engine: `node bench/scan-lines.ts [MB]`.

import { air } from '../formats/air/air.ts';
import { iur } from '../formats/iur/iur.ts';
import { Findings, type Format } from '../src/engine/format.ts';

const WINDOW_BYTES = 256 * 1024;
const ROUNDS = 5;

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

interface Workload {
	readonly name: string;
	readonly format: Format<never>;
	readonly record: readonly string[];
}

const workloads: readonly Workload[] = [
	{
		name: 'AIR, whole records, no card',
		format: air as Format<never>,
		record: [...AIR_FRAME, 'FPCASH', 'RM*ACC/-LK-MAC2/-FOP-CASH/-TK-2211333556', 'RM REMARK WITHOUT ANY CARD', 'ENDX'],
	},
	{
		name: 'AIR, whole records, one card',
		format: air as Format<never>,
		record: [...AIR_FRAME, 'FPCCVI4111111111111111/1229/A123456;S2;P1', 'RM REMARK WITHOUT ANY CARD', 'ENDX'],
	},
	{
		name: 'AIR, one card in 120 bytes',
		format: air as Format<never>,
		record: repeat(100, 'FPCCVI4111111111111111/1229/A123456;S2;P1', `RIF ${'INVOICE TOTAL EUR538.02 '.repeat(3)}`),
	},
	{
		name: 'AIR, one card in 120 bytes, in remarks',
		format: air as Format<never>,
		record: repeat(100, 'RM VISA CARD 4111 1111 1111 1111 CVV 123', `RIF ${'INVOICE TOTAL EUR538.02 '.repeat(3)}`),
	},
	{
		name: 'IUR, whole records, M2 and M5 card',
		format: iur as Format<never>,
		record: [...IUR_FRAME, `M50101  XX#5262536751${FORM}CCVI4111111111111111 1.1DUPONT MARIE/1/F/E`, 'M901CLIENT'],
	},
	{
		name: 'IUR, whole records, no card',
		format: iur as Format<never>,
		record: [...IUR_FRAME.map((line) => line.replace(/^\*VI\d+/, 'CASH')), 'M801COST CENTRE 4711', 'M901CLIENT'],
	},
	{
		name: 'IUR, one card in 120 bytes',
		format: iur as Format<never>,
		record: [
			...IUR_FRAME,
			...repeat(100, `M50101  XX#5262536751${FORM}CCVI4111111111111111 1.1DUPONT MARIE/1/F/E${' '.repeat(25)}`),
		],
	},
];

function repeat(times: number, ...lines: string[]): string[] {
	const isAir = !lines[0].startsWith('M5');
	const body = Array.from({ length: times }, () => lines).flat();
	return isAir ? [...AIR_FRAME.slice(0, 4), ...body, 'ENDX'] : body;
}

/** Scans the file once, window by window, as the engine does it. Returns the number of findings. */
function scanFile(format: Format<never>, file: Buffer): number {
	const scanner = format.scanner(format.options.parse({}) as never, 'tokenize');
	const found = new Findings();
	let cards = 0;
	for (let from = 0; from < file.length; ) {
		const to = Math.min(file.length, from + WINDOW_BYTES);
		found.truncate(0);
		from = scanner.scan(file, from, to, to === file.length, found);
		cards += found.length;
	}
	return cards;
}

const megabytes = Number(process.argv[2] ?? 64);
console.log(`scan only, ${megabytes} MB each, best of ${ROUNDS}, Node ${process.versions.node}`);
console.log(`${'workload'.padEnd(42)}${'MB/s'.padStart(8)}${'cards/s'.padStart(12)}${'cards'.padStart(10)}`);
for (const { name, format, record } of workloads) {
	const one = Buffer.from(`${record.join('\r\n')}\r\n`, 'latin1');
	const file = Buffer.alloc(Math.floor((megabytes * 1e6) / one.length) * one.length, one);
	let best = Number.POSITIVE_INFINITY;
	let cards = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const start = performance.now();
		cards = scanFile(format, file);
		best = Math.min(best, performance.now() - start);
	}
	const speed = (file.length / best / 1000).toFixed(0);
	const rate = Math.round((cards / best) * 1000).toLocaleString('en');
	console.log(`${name.padEnd(42)}${speed.padStart(8)}${rate.padStart(12)}${String(cards).padStart(10)}`);
}
