// Generates Sabre Interface User Records for the filter IUR: cards are in forms of payment, guarantees, remarks and
// charges.

import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Mark, type Pieces, pieces, plainText } from './draft.ts';
import { codedText, hostDecoys, short, uncodedText } from './host-remarks.ts';
import { Pen } from './pen.ts';

/** Generates one file. `seed` is its name, by which this file alone can be generated again. */
export function iurFile(dice: Dice, seed: string): GeneratedFile {
	const encoding: Encoding = dice.percent(40) ? 'latin1' : 'utf8';
	const pen = new Pen(dice, encoding);
	const lineEnd = dice.pick(['\r\n', '\r\n', '\n', '\r']);
	const formFeed = dice.percent(40) ? `${lineEnd}\f` : '';
	const all: Pieces[number][] = [];
	while (pen.hasCardsLeft) {
		for (const line of record(pen)) all.push(...line, lineEnd);
		all.push(pen.hasCardsLeft || dice.percent(60) ? formFeed : '');
	}
	return { filter: 'IUR', seed, ...finish(all, encoding), options: {}, hasNoKnownPlace: false };
}

const times = (count: number, line: Pieces = []): Pieces[] => Array.from({ length: count }, () => line);

function record(pen: Pen): Pieces[] {
	const { dice } = pen;
	const lines: Pieces[] = [
		[
			`AA29DEC0400M0117                    000000099 00000 2  ${dice.locator()}        611111110000000001 AAAA * BB 000000`,
		],
		...times(10),
		pieces`${dice.percent(50) ? decoy(dice, 'M0', ['phone', 'phoneDigits']) : ''}`,
		[],
		['000000000-A'],
		...times(2),
		['BB'],
		[`${'M101MUSTER/ERIKA MRS'.padEnd(124)}021 01000002`],
		['0102'],
		['01'],
		...times(2),
		['0102'],
		...secondRecord(pen),
		[`M3011 0HK10APRAIRNPARPARIS               NYCNEW YORK         XX  001Y 0805 1030  3.25`],
		...times(3),
	];
	if (dice.percent(40)) lines.push(...hotel(pen));
	lines.push(accounting(pen));
	if (dice.percent(30)) lines.push(accounting(pen, '02'));
	lines.push(['M6ADT1    PAR XX NYC100.00NUC100.00END ROE1.00']);
	if (dice.percent(25)) lines.push(pieces`FP ${codedText(pen, 'M6')}`);
	for (const name of ['M7', 'M8', 'M9', 'ME', 'MF'])
		if (dice.percent(30)) lines.push(pieces`${name}01${remark(pen, name)}`);
	if (dice.percent(25)) lines.push(...charges(pen));
	if (dice.percent(20)) lines.push(document(pen));
	return lines;
}

function remark(pen: Pen, name: string): Pieces {
	const roll = pen.dice.below(100);
	if (roll < 45) return codedText(pen, name);
	return roll < 70 ? uncodedText(pen, name) : hostDecoys(pen, name);
}

/** Returns the M2 line and the eleven lines that belong to it, the third of which is the form of payment. */
function secondRecord(pen: Pen): Pieces[] {
	const { dice } = pen;
	const card = pen.card();
	const code = dice.pick(card.codes);
	const expiry = dice.percent(50) ? short(card) : '    ';
	const fixed = `${'M201ADT00000000000X 2   RST       EUR  100.00'.padEnd(221)}${expiry}`.padEnd(229);
	const at = (what: string) => ({ isKnown: true, what: `M2: ${what}`, name: 'M2' });
	const plain = (what: string) => pen.number(card, at(what), 'plain');
	const forms: (() => Pieces)[] = [
		() => pieces`${code}${plain('code glued')}`,
		() => pieces`*${code}${plain('star and code')}`,
		() => pieces`CC${code}${plain('CC and code')}/${short(card)}`,
		() => pieces`*${code}${plain('expiry behind the lorraine')}\u00a5${card.month}/${card.year.slice(2)}`,
		() => pieces`CK TF00050.00TAX00005.00/${code}${plain('second of two forms')} TF00050.00TAX00005.00`,
		() => {
			const other = pen.card();
			return pieces`${code}${plain('first of two')} TF00050.00TAX00005.00/${other.codes[0]}${pen.number(other, at('second of two'), 'plain')} TF00050.00TAX00005.00`;
		},
		() => [dice.pick(['CASH', 'CA', 'CK'])],
		() => pieces`*VI${zeroMasked(dice)}`,
	];
	return [[`${fixed}0201XX${dice.digits(11)}`], ['0102'], ['01'], dice.pick(forms)(), ...times(8)];
}

/** Returns a number as Sabre masks it, with zeros between its first six and last four digits. One in ten passes Luhn. */
function zeroMasked(dice: Dice): Mark {
	const raw = `411111000000${dice.digits(4)}`;
	return { raw, kind: 'decoy', isKnown: false, what: 'decoy: masked with zeros', name: 'M2', card: 0 };
}

/** Returns a hotel segment with its guarantee, in its lines of text or on the fixed line. */
function hotel(pen: Pen): Pieces[] {
	const { dice } = pen;
	const card = pen.card();
	const [code] = card.codes;
	const at = (what: string) => ({ isKnown: true, what: `M3: ${what}`, name: 'M3' });
	const plain = (what: string) => pen.number(card, at(what), 'plain');
	const tail = `EXP ${card.month} ${card.year.slice(2)}-MUSTER`;
	const fixed = 'M3023 0HK10APRHHL XXPARPARIS             HOTEL EXAMPLE ';
	switch (dice.below(4)) {
		case 0:
			return [[fixed], pieces`/G${code}${plain('guarantee')}${tail}`, ...times(2)];
		case 1:
			return [[fixed], pieces`/G${code}/${plain('guarantee behind a slash')}`, ...times(2)];
		case 2:
			return [pieces`${fixed}/G${code}${plain('guarantee on the fixed line')}${tail}`, ...times(3)];
		default:
			return [[fixed], pieces`${remark(pen, 'M3')}`, pieces`/CC-${code}${plain('CC and a hyphen')}`, ...times(1)];
	}
}

function accounting(pen: Pen, item = '01'): Pieces {
	const { dice } = pen;
	const lorraine = dice.pick(['#', '@', '\u00a5']);
	const ticket: Mark = {
		raw: dice.digits(10),
		kind: 'decoy',
		isKnown: false,
		what: 'decoy: M5 ticket',
		name: 'M5',
		card: 0,
	};
	const before = pieces`M5${item}01  XX${lorraine}${ticket}/     10/     100/     10/ONE/`;
	const after = ' 1.1MUSTER ERIKA MRS/1/F/E';
	if (dice.percent(20)) return pieces`${before}${dice.pick(['CA', 'CK', `CCVIXXXXXXXXXXXX${dice.digits(4)}`])}${after}`;
	const card = pen.card();
	const number = pen.number(card, { isKnown: true, what: 'M5', name: 'M5' }, 'plain');
	return pieces`${before}${dice.pick(['CC', 'CX'])}${card.codes[0]}${number}${after}`;
}

/** Returns the charges of an MB, MC or MD record, with one or two cards. */
function charges(pen: Pen): Pieces[] {
	const { dice } = pen;
	const name = dice.pick(['MB', 'MC', 'MD']);
	const payment = (): Pieces => {
		const card = pen.card();
		const number = pen.number(card, { isKnown: true, what: `${name}: PY`, name }, 'plain');
		return pieces`PY/${dice.pick(['CC', 'CX'])}/${card.codes[0]}/${number}${dice.pick(['', '     '])}/${card.month}/${card.year.slice(2)}/ / /Z/${dice.digits(5)}`;
	};
	const lines = [payment()];
	if (dice.percent(50)) lines.push(payment());
	return [[`${name}0101NM/MISC`], ['AC/XX'], ...lines, ['PI/4'], []];
}

/** Returns an MG record, whose number stands in columns 172 to 189. */
function document(pen: Pen): Pieces {
	const { dice } = pen;
	const card = pen.card();
	const number = pen.number(card, { isKnown: true, what: 'MG', name: 'MG' }, 'plain');
	const left = `${'MG01'.padEnd(166)}CC${card.codes[0]} `;
	const right = `${short(card)}`;
	const columns = pieces`${left}${number}${' '.repeat(22 - number.raw.length)}${right}`;
	return pieces`${columns}${dice.percent(60) ? ' '.repeat(238 - plainText(columns).length) : ''}`;
}
