// Generates Amadeus Interface Records for the filter AIR, with cards in forms of payment, remarks, segments and services.

import type { Card } from './cards.ts';
import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Pieces, pieces } from './draft.ts';
import { codedText, hostDecoys, short, uncodedText } from './host-remarks.ts';
import { Pen } from './pen.ts';

/** Generates one file. `seed` is its name, by which this file alone can be generated again. */
export function airFile(dice: Dice, seed: string): GeneratedFile {
	const encoding: Encoding = dice.percent(30) ? 'latin1' : 'utf8';
	const pen = new Pen(dice, encoding);
	const lineEnd = dice.pick(['\r\n', '\r\n', '\n', '\r']);
	const all: Pieces[number][] = [];
	const hasLastEnd = dice.percent(70);
	while (pen.hasCardsLeft) {
		const lines = record(pen);
		const isLast = !pen.hasCardsLeft;
		// Only the last document of a ticketing ends with ENDX instead of END, and files often hold one document each.
		const end = isLast && dice.percent(60) ? 'ENDX' : dice.pick(['END', 'ENDX']);
		for (const line of lines) all.push(...line, lineEnd);
		all.push(end, isLast && !hasLastEnd ? '' : lineEnd);
	}
	return { filter: 'AIR', seed, ...finish(all, encoding), options: {}, hasNoKnownPlace: false };
}

function record(pen: Pen): Pieces[] {
	const { dice } = pen;
	const lines: Pieces[] = [
		['AIR-BLK207;7A;;232;0000000000;1A0000000;001001'],
		['AMD 0000000001;1/1;'],
		['GW0000000;1A0000000'],
		[
			`MUC1A ${dice.locator()}001;0101;PARXX0000;00000000;PARXX0000;00000000;PARXX0000;00000000;PARXX0000;00000000;;;XX ABCDEF`,
		],
		['A-EXAMPLE AIR;XX 0000'],
		['B-TTP'],
		['C-7906/ 0000AASU-0000AASU-I-0--'],
		['D-260801;260801;260801'],
		['G-X  ;;PARNYC;'],
		['K-FEUR100.00     ;;;;;;;;;;;;EUR110.00   ;;;'],
	];
	const middle: Pieces[] = [
		pieces`I-001;01MUSTER/ERIKA MRS;;APPAR ${decoy(dice, 'I-', ['phone'])};;`,
		...decoyLines(pen),
	];
	middle.push(formOfPayment(pen));
	for (let n = dice.between(0, 4); n > 0; n--) middle.push(otherLine(pen));
	return [...lines, ...dice.shuffled(middle)];
}

function decoyLines({ dice }: Pen): Pieces[] {
	const airline = dice.pick(['160', '220', '057', '479', '555']);
	const all: Pieces[] = [
		pieces`T-K${mark('T-', `${airline}-${dice.digits(10)}-${dice.digits(2)}`)}`,
		pieces`FO${mark('FO', `${airline}-${dice.digits(10)}`)}PAR01JAN26/00000000/${mark('FO', `${airline}-${dice.digits(10)}`)}E1;S2-3;P1`,
		pieces`TMCD${mark('TMCD', `${airline}-${dice.digits(10)}`)};;D1`,
		pieces`R-${mark('R-', `${airline}-${dice.digits(10)}`)};21NOV26`,
		pieces`SSR FQTV AF  HK1/AF${decoy(dice, 'SSR', ['booking'])};P1`,
		pieces`SSR DOCS AF  HK1/P/FRA/${mark('SSR', dice.digits(9))}/FRA/01JAN80/F/31DEC29/DUPONT/MARIE;P1`,
		pieces`SSR FOID CA  HK1/NI${mark('SSR', dice.digits(18))};P1`,
		pieces`OSI YY CTCP ${decoy(dice, 'OSI', ['phone', 'phoneDigits'])}`,
		pieces`FPNONREFAGTA${mark('FP', dice.digits(7))}/GBP119.91`,
		pieces`RM ${decoy(dice, 'RM', ['ticket', 'iban', 'hash', 'booking', 'invoice'])}`,
		['FM*M*5'],
		['TKOK21NOV/PARXX0000'],
	];
	return dice.shuffled(all).slice(0, dice.between(2, 6));
}

function mark(name: string, raw: string) {
	return { raw, kind: 'decoy', isKnown: false, what: `decoy: ${name}`, name, card: 0 } as const;
}

/** Returns a line of payment (`FP`, `MFP` or `P-FP`) in one of the forms that hosts and agents write. */
function formOfPayment(pen: Pen): Pieces {
	const { dice } = pen;
	const card = pen.card();
	const code = dice.pick(card.codes);
	const plain = (what: string) => pen.number(card, { isKnown: true, what: `FP: ${what}`, name: 'FP' }, 'plain');
	const cv = () =>
		dice.percent(30)
			? pieces`*CV${pen.cvv(card, { isKnown: true, what: 'FP: *CV', name: 'FP' })}`
			: [dice.pick(['', '*CVX', '/A123456'])];
	const tail = dice.pick(['', ';S2-3;P1', '/EUR550.00', '/N123;P1']);
	switch (dice.below(13)) {
		case 0:
			return pieces`FP CC${code}${plain('blank behind FP')}/${short(card)}/A1234${tail}`;
		case 1:
			return pieces`FPCASH+CC${code}${plain('two forms')}/${short(card)}/EUR550.00`;
		case 2:
			return pieces`FPO/CASH+/CC${code}${plain('old and new')}/${short(card)}${cv()}`;
		case 3:
			return pieces`FPO/NONREF+/C${code}/${plain('code, then a slash')}/${short(card)}/N2412*13083942`;
		case 4:
			return pieces`FP ${dice.pick(['PAX', 'INF'])} CC${code}${plain('passenger')}/${short(card)}${cv()}${tail}`;
		case 5:
			return pieces`FPCC${code}${plain('expiry glued')}D${short(card)}${cv()}`;
		case 6:
			return pieces`FP${code}${plain('without CC')}/${short(card)}${cv()}`;
		case 7:
			return pieces`FPCC${code}${plain('EXP behind')}EXP ${card.month} ${card.year.slice(2)}`;
		case 8:
			return pieces`FPCC${code} ${pen.number(card, { isKnown: true, what: 'FP: blanks', name: 'FP' }, 'blanks')}/${short(card)}`;
		case 9:
			return pieces`MFPCC${code}${plain('MFP')}/${short(card)};;;D1`;
		case 10:
			return pieces`P-FP/${dice.percent(50) ? 'CC' : ''}${code} ${pen.number(card, { isKnown: true, what: 'P-FP/', name: 'P-' }, dice.pick(['plain', 'blanks']))}`;
		default:
			return pieces`FPCC${code}${plain('plain')}/${short(card)}${cv()}${tail}`;
	}
}

function otherLine(pen: Pen): Pieces {
	const { dice } = pen;
	const remark = dice.pick(['RM ', 'RM*', 'RC ', 'RIU', 'RIZ', 'RIF', 'RIR ', 'RII', 'RM*MAC/']);
	const tag = remark.trim().replace(/[*/].*/, '');
	const service = dice.pick([
		'SSR OTHS YY ',
		'OSI YY ',
		'AI ',
		'FE',
		'Q-',
		'H-001;',
		'FV',
		'SSR EPAY YY HK1/',
		'OPW-',
		'FH ',
		'TSA-',
		'O-',
	]);
	const roll = dice.below(100);
	if (roll < 30) return pieces`${remark}${codedText(pen, tag)}`;
	if (roll < 45) return pieces`${remark}${hostDecoys(pen, tag)}`;
	if (roll < 60) return pieces`${remark}${uncodedText(pen, tag)}`;
	if (roll < 70) return pieces`${service}${codedText(pen, service.trim())};P1`;
	if (roll < 78) return pieces`${service}${uncodedText(pen, service.trim())}`;
	if (roll < 84) return storedPayment(pen, pen.card());
	if (roll < 89) return insurance(pen, pen.card());
	return cruise(pen);
}

/** Returns a `Z-FOP` line, which holds the number twice. */
function storedPayment(pen: Pen, card: Card): Pieces {
	const [code] = card.codes;
	const at = (what: string) => ({ isKnown: true, what: `Z-FOP: ${what}`, name: 'Z-' });
	return pieces`Z-FOP-INCC${code}${pen.number(card, at('first copy'), 'plain')}/${short(card)}/N12345678;SN1;TPCC;AMEUR105.48;AC${pen.number(card, at('second copy'), 'plain')};DA${short(card)};LCN12345678;`;
}

function insurance(pen: Pen, card: Card): Pieces {
	const number = pen.number(card, { isKnown: true, what: 'PPI: expiry glued', name: 'PPI' }, 'plain');
	return pieces`PPI;INF;TV-EUR600.00;SI-;PV-EUR30.00;PI-;PP-;CC-${card.codes[0]}${number}${short(card)};NB-;GE-F;FD-;S5`;
}

/** Returns a segment with two cards, either as two payments or as a guarantee and a deposit. */
function cruise(pen: Pen): Pieces {
	const { dice } = pen;
	const [first, second] = [pen.card(), pen.card()];
	const at = (what: string) => ({ isKnown: true, what: `U-: ${what}`, name: 'U-' });
	const one = pen.number(first, at('first'), 'plain');
	const two = pen.number(second, at('second'), 'plain');
	if (dice.percent(50)) {
		return pieces`U-007;004CRU HK01;HK01 RCC;MIA;MIAMI;FP-CCD5000.00+02FEB2029+${first.codes[0]}${one}+${short(first)};CCD3000.00+10MAR2029+${second.codes[0]}${two}+${short(second)};;`;
	}
	return pieces`U-002;003HHL HK01;G-CC${first.codes[0]}${one}EXP${short(first)};/DP-CC${second.codes[0]}${two}EXP${short(second)};`;
}
