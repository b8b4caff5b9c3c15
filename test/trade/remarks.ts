// Writes what people type into free text: a card in the middle of a sentence, with or without its expiry and CVV.

import { decoy } from './decoys.ts';
import { type Pieces, pieces } from './draft.ts';
import type { Pen } from './pen.ts';

const BEFORE = [
	'Guest called, card ',
	'CC: ',
	'please charge ',
	'VISA ',
	'guarantee with card no ',
	'Bitte Karte ',
	'KK-Nr. ',
	'Kreditkarte: ',
	'Gast zahlt mit ',
	'carte n° ',
	'CB ',
	'numéro ',
	'tarjeta ',
	'cargar a ',
	'carta di credito ',
	'addebitare ',
	'cartão ',
	'debitar em ',
	'',
	'late arrival; ',
	'ref#',
	'pay=',
	'(',
];

const GLUED_BEFORE = ['VI', 'card', 'CC', 'Visa', 'FPVI', 'No', 'KK', 'n', '#', '*', '_', 'x:', 'PAN'];
const GLUED_AFTER = ['EXP1229', 'exp', 'x', 'VI', 'D1229', '_', 'ok', 'A'];
const AFTER = [', arrival late', '.', '', ' ok', ' danke', ' merci', '; room 12', ' (signed)', '?', '!', '/', ' VISA'];

/** Returns a remark with a card, in a place that nobody has listed. `name` is the column, key or element of that place. */
export function cardRemark(pen: Pen, name: string): Pieces {
	const { dice } = pen;
	const card = pen.card();
	const { month, year, cvv } = card;
	const short = year.slice(2);
	const at = (what: string) => ({ isKnown: false, what: `remark: ${what}`, name });
	const code = (what: string) => ({ ...pen.cvv(card, at(what)), raw: cvv });
	switch (dice.below(12)) {
		case 0:
			return pieces`${dice.pick(GLUED_BEFORE)}${pen.number(card, at('glued to letters before'), 'plain')}${dice.pick(AFTER)}`;
		case 1:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('glued to letters behind'), 'plain')}${dice.pick(GLUED_AFTER)}`;
		case 2:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('expiry behind a slash'))}/${month}${short}${dice.pick(AFTER)}`;
		case 3:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('expiry and code behind blanks'))} ${month}/${short} ${code('bare code behind the expiry')}`;
		case 4:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('code with its name'))} exp ${month}/${short} ${dice.pick(CODE_WORDS)}${code('code with its name')}${dice.pick(AFTER)}`;
		case 5:
			return pieces`${decoy(dice, name, ['phone', 'booking', 'ticket', 'iban'])}, ${dice.pick(BEFORE)}${pen.number(card, at('behind a decoy'))}, ${decoy(dice, name, ['amount', 'locator', 'hash'])}`;
		case 7:
			return pieces`${dice.pick(['room 12 ', '2 x ', 'Zimmer 204, 1 ', '3. '])}${pen.number(card, at('behind a short number'))}${dice.pick(AFTER)}`;
		case 8:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('expiry behind a hyphen'))}-${month}${short}${dice.pick(AFTER)}`;
		case 9:
			return pieces`https://pay.example/?cc=${pen.number(card, at('in an address'), 'plain')}&exp=${month}${short}&cvv=${code('code in an address')}`;
		case 10:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('bare code behind a blank'))} ${code('bare code behind a blank')}`;
		case 6:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('four digits of expiry behind a blank'))} ${month}${short}${dice.pick(AFTER)}`;
		default:
			return pieces`${dice.pick(BEFORE)}${pen.number(card, at('in a sentence'))}${dice.pick(AFTER)}`;
	}
}

/** The words that stand before a CVV in free text. */
export const CODE_WORDS = [
	'CVV ',
	'cvv: ',
	'CVC ',
	'cvc=',
	'CVV2 ',
	'CID ',
	'security code ',
	'Prüfziffer ',
	'sec code ',
	'CVV',
];

/** Returns a remark without a card, often with numbers that are no cards. */
export function plainRemark(pen: Pen, name: string): Pieces {
	const { dice } = pen;
	switch (dice.below(4)) {
		case 0:
			return pieces`please call ${decoy(dice, name, ['phone', 'phoneDigits'])}`;
		case 1:
			return pieces`ticket ${decoy(dice, name, ['ticket', 'conjunction'])} flyer ${decoy(dice, name, ['flyer'])}`;
		case 2:
			return [
				dice.pick(['', 'late arrival', 'Zimmer mit Balkon, ruhig', 'vue sur mer', 'no "smoking"', 'a; b, c | d']),
			];
		default:
			return pieces`${decoy(dice, name)}`;
	}
}
