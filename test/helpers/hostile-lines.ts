// Generates AIR and IUR files whose lines are put together at random.

import fc from 'fast-check';
import { GOOD_NUMBERS, goodNumber, latin1, lineEnds, ODD_NUMBERS } from './hostile-values.ts';

const codedNumber = fc
	.tuple(
		fc.constantFrom(
			...[' CCVI', '/CCVI', '+CCCA', '/CVI/', ' CCAX/', '/CXVI', '-CCDC', 'CCEC', 'CCCA', 'VI', 'AX', 'DC', 'CB', 'BC'],
			...[' VI ', '/GVI/', 'PY/CC/AX/', ' TP ', 'CA: ', 'INCCCA', ';AC', 'CC-AX', 'FP*VI', 'TO-', 'DS.'],
		),
		fc.oneof({ weight: 3, arbitrary: goodNumber }, { weight: 1, arbitrary: fc.constantFrom(...ODD_NUMBERS) }),
		fc.constantFrom(
			...[
				'/1229',
				'D1229',
				'N1229',
				'EXP1229',
				'/-EXP-1229',
				'',
				' ',
				'/1319',
				'/0119',
				'/12/29',
				'E',
				';',
				'1229',
				'+1229',
			],
			...['EXP 12 29', ' EXP12/29', '   /12/29/', '*CV123', '/CV1234', ' SC123', '*CVX', ';DA1229;'],
		),
	)
	.map((parts) => parts.join(''));
const typedNumber = fc
	.tuple(
		fc.constantFrom('CARD ', 'VISA:', ' KARTE NR ', 'AMEX-', 'CREDIT CARD NO '),
		fc.constantFrom('4111 1111 1111 1111', '3782-822463-10005', ...GOOD_NUMBERS),
		fc.constantFrom('', ' ', ';', '/', ' CVV 123', ' CVC/1234 ', 'X', ' VISA'),
	)
	.map((parts) => parts.join(''));

/** The parts of which lines of travel systems consist; they are combined at random. */
const linePiece = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.constantFrom(
			...['FP', 'MFP', 'FP ', 'FP*', 'FPO/', 'CC', 'C', 'CCVI', 'CCCA', 'CCDC', 'CVI/', 'CX', 'VI', 'CA', 'AX', 'EC'],
			...['/', '+', ' ', ';', '-', '*', '#', '@', '\u00a5', '\u00c2\u00a5', '.', ',', 'X', 'CASH'],
			...['/1229', 'D1229', 'N1229', 'EXP1229', '-EXP-1229', '/-EXP-1229', '/12/29', '#1229', '/1319', '/0119'],
			...[
				'RM ',
				'RM*',
				'SSR FOID ',
				'OSI ',
				'RIR ',
				'RIU',
				'U-',
				'T-K',
				'I-',
				'FO',
				'Z-FOP-',
				'PPI;',
				'NUM-',
				'VCD-VI',
				'FOP*',
				' TKN-',
			],
			...['CARD ', 'VISA', 'AMEX:', 'KARTE NR ', 'CREDIT CARD ', 'CVV 123', 'CVC/1234', 'CID', 'SEC CODE ***', '123'],
			...[' 1.1DUPONT/1/F/E', 'A', 'D', 'E', '0', '1', '9', '\u00fc', '/ONE/', 'ADT'],
		),
	},
	{ weight: 2, arbitrary: goodNumber },
	{ weight: 2, arbitrary: codedNumber },
	{ weight: 2, arbitrary: fc.constantFrom('4111 1111 1111 1111', '3782-822463-10005', '4111-1111-1111-1111') },
	{ weight: 2, arbitrary: typedNumber },
	{ weight: 1, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
);
const anyLine = fc.array(linePiece, { maxLength: 10 }).map((pieces) => pieces.join(''));
const paymentLine = fc
	.tuple(fc.constantFrom('FP', 'FP ', 'MFP', 'FPO/CASH+/', 'FP PAX '), anyLine)
	.map(([head, line]) => `${head}CCVI${line}`);
export const air = fc
	.tuple(
		fc.array(fc.array(fc.oneof(anyLine, paymentLine), { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
		lineEnds,
		fc.boolean(),
		fc.boolean(),
	)
	.map(([records, ends, hasLastEnd, paymentScreen]) => {
		const lines = records.flatMap((record) => [
			...['AIR-BLK207;7A;;233;0000000000', 'AMD 0100000001;1/1;', '1A1200000', 'MUC1A ABCDEF003', ...record],
			record.length % 2 ? 'END' : 'ENDX',
		]);
		const text = lines.map((line, i) => line + (i < lines.length - 1 || hasLastEnd ? ends[i % ends.length] : ''));
		return { bytes: latin1(text.join('')), options: { paymentScreen } };
	});

const m2 = fc
	.tuple(fc.constantFrom('1229', '0000', '    ', '1319'), fc.constantFrom('01', '02'), anyLine)
	.map(([until, item, line]) => [
		`M2${item}ADT`.padEnd(221) + until,
		...['01', '01', line, '', '', 'NONREF', '', '', '', '', ''],
	]);
const m5 = fc
	.tuple(fc.constantFrom('01', 'AA', '  '), anyLine, anyLine)
	.map(([item, one, two]) => [`M501${item}  XX#5262536751/    .00/  410.00/ONE/CCVI${one}`, `M502${item}/${two}`]);
const mg = fc
	.tuple(
		fc.constantFrom('CC', 'CA', 'CC'),
		fc.oneof(goodNumber, fc.constantFrom(...ODD_NUMBERS, 'XXXXXXXXXXXX1111')),
		fc.constantFrom('1229', '    ', '0119'),
		fc.constantFrom('', ' ', ' TKN-CCA5D1229E0B47F1A9C0DE5F6AB01E2D', ' TKN-'),
	)
	.map(([form, digits, until, tail]) => [
		`${'MG01'.padEnd(166)}${form}VI ${digits.slice(0, 22).padEnd(22)}${until}`.padEnd(238) + tail,
	]);
const textSections = fc
	.tuple(
		fc.constantFrom('M3', 'M7', 'M8', 'M9', 'ME', 'MF', 'M1', 'M4', 'M6', 'MA', 'MB', 'MC', 'MD', 'MG', 'MX'),
		fc.array(anyLine, { maxLength: 3 }),
	)
	.map(([id, lines]) => [`${id}01${lines[0] ?? ''}`, ...lines.slice(1), ...(id === 'M1' ? Array(5).fill('') : [])]);
export const iur = fc
	.tuple(fc.array(fc.oneof(m2, m5, mg, textSections), { maxLength: 6 }), lineEnds)
	.map(([sections, ends]) => {
		const record = ['AA20NOV0915M0117', '', 'EXAMPLE TRAVEL', ...sections.flat(), 'M999END'];
		const lines = ends.length > 1 ? [...record, `\f${record[0]}`, ...record.slice(1)] : record;
		return { bytes: latin1(lines.map((line, i) => line + ends[i % ends.length]).join('')), options: {} };
	});
