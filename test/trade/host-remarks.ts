// Writes the free text of reservation systems, for AIR and IUR: it has capitals, two-letter network codes, and CVVs and
// expiries glued to numbers.

import type { Card } from './cards.ts';
import { decoy } from './decoys.ts';
import { type Mark, type Pieces, pieces } from './draft.ts';
import type { Pen } from './pen.ts';

/** Returns text with a number behind the code of its network, a card on any line. `name` is the tag of the line. */
export function codedText(pen: Pen, name: string): Pieces {
	const { dice } = pen;
	const card = pen.card();
	const code = dice.pick(card.codes);
	const at = (what: string) => ({ isKnown: true, what: `${name}: ${what}`, name });
	const plain = (what: string) => pen.number(card, at(what), 'plain');
	switch (dice.below(12)) {
		case 0:
			return pieces`CC${code}${plain('CC, code, number')}/${short(card)}${codeTail(pen, card, name)}`;
		case 1:
			return pieces`${code}${plain('code glued')}EXP${short(card)}`;
		case 2:
			return pieces`${code}${plain('code glued, EXP and blank')}EXP ${card.month} ${card.year.slice(2)}`;
		case 3:
			return pieces`CC${code}${plain('CC, EXP behind a blank')} EXP ${card.month}/${card.year.slice(2)} ${codeWord(pen, card, name)}`;
		case 4:
			return pieces`${code} ${pen.number(card, at('code and a blank'), dice.pick(['plain', 'blanks', 'hyphens']))} ${codeWord(pen, card, name)}`;
		case 5:
			return pieces`${code}/${plain('code and a slash')}/${card.month}${card.year.slice(2)}`;
		case 6:
			return pieces`${code}-${plain('code and a hyphen')}-${short(card)}`;
		case 7:
			return pieces`/-FOP-CC${code}${plain('-FOP-')}/-EXP-${short(card)}/-TK-${decoy(dice, name, ['booking'])}`;
		case 8:
			return pieces`${code}${plain('expiry behind D')}D${short(card)}${codeTail(pen, card, name)}`;
		case 9:
			return pieces`${code}${plain('expiry behind +')}+${short(card)}`;
		case 10:
			return pieces`FOP*${code}${plain('FOP*')}/${card.month}/${card.year.slice(2)}`;
		default:
			return pieces`CC${code} ${pen.number(card, at('CC, code, blank'), dice.pick(['plain', 'blanks']))} EXP${card.month}/${card.year.slice(2)}`;
	}
}

/** Returns text with a number that has no code before it, in a place that nobody has listed. */
export function uncodedText(pen: Pen, name: string): Pieces {
	const { dice } = pen;
	const card = pen.card();
	const at = (what: string) => ({ isKnown: false, what: `${name}: ${what}`, name });
	switch (dice.below(6)) {
		case 0:
			return pieces`${dice.pick(['CARD', 'KREDITKARTE', 'VISA', 'CREDIT CARD NO'])} ${pen.number(card, at('keyword'))} ${codeWord(pen, card, name)}`;
		case 1:
			return pieces`PAY WITH ${pen.number(card, at('no keyword'))}`;
		case 2:
			return pieces`HTL GUARANTEE ${pen.number(card, at('glued to letters behind'), 'plain')}EXP${short(card)}`;
		case 3:
			return pieces`X${pen.number(card, at('glued to letters before'), 'plain')} OK`;
		case 4:
			return pieces`DEP ${pen.number(card, at('expiry behind a blank'))} ${card.month}/${card.year.slice(2)}`;
		default:
			return pieces`CLIENT ${decoy(dice, name, ['booking', 'phone'])} / ${pen.number(card, at('behind a decoy'))} / ${decoy(dice, name, ['ticket'])}`;
	}
}

/** Returns a remark without a card. */
export function hostDecoys(pen: Pen, name: string): Pieces {
	const { dice } = pen;
	switch (dice.below(5)) {
		case 0:
			return pieces`TKT ${decoy(dice, name, ['ticket', 'conjunction'])}`;
		case 1:
			return pieces`FQTV ${decoy(dice, name, ['flyer'])}`;
		case 2:
			return pieces`CTC ${decoy(dice, name, ['phone', 'phoneDigits'])}`;
		case 3:
			return pieces`INV ${decoy(dice, name, ['booking', 'invoice', 'amount', 'iban'])}`;
		default:
			return pieces`CCVIXXXXXXXXXXXX${dice.digits(4)} REF ${decoy(dice, name, ['hash', 'stamp'])}`;
	}
}

/** Returns what may follow an expiry: a CVV behind `*CV` or `/CV`, a sign that it is elsewhere, an approval, or nothing. */
function codeTail(pen: Pen, card: Card, name: string): Pieces {
	const { dice } = pen;
	const at = { isKnown: true, name };
	switch (dice.below(6)) {
		case 0:
			return pieces`*CV${cvv(pen, card, { ...at, what: `${name}: *CV` })}`;
		case 1:
			return pieces`/CV${cvv(pen, card, { ...at, what: `${name}: /CV` })}`;
		case 2:
			return ['*CVX'];
		case 3:
			return [`/A${dice.digits(6)}`];
		default:
			return [];
	}
}

function codeWord(pen: Pen, card: Card, name: string): Pieces {
	const { dice } = pen;
	if (dice.percent(50)) return [];
	const word = dice.pick(['CVV ', 'CVC ', 'CVV', 'CVC2 ', 'SC', 'CID ', 'SEC CODE ', 'CVV:', 'SECURITY CODE ']);
	return pieces`${word}${cvv(pen, card, { isKnown: true, what: `${name}: ${word.trim()}`, name })}`;
}

function cvv(pen: Pen, card: Card, at: { isKnown: boolean; what: string; name: string }): Mark {
	return pen.cvv(card, at);
}

/** Returns the expiry as MMYY. */
export function short(card: Card): string {
	return card.month + card.year.slice(2);
}
