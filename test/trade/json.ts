// Generates JSON for the filter SIMPLEJSON, as booking systems, channel managers and payment providers write it.

import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Pieces } from './draft.ts';
import { cardPairs, type Pair } from './json-card.ts';
import { bare, escapeDigits, type JsonTree, jsonText, object, string } from './json-text.ts';
import { camel } from './names.ts';
import { Pen } from './pen.ts';
import { cardRemark, plainRemark } from './remarks.ts';
import { OTHER_NAMES, UNLISTED_NUMBER_NAMES } from './vocabulary.ts';

/** Generates one file. `seed` is its name, by which this file alone can be generated again. */
export function jsonFile(dice: Dice, seed: string): GeneratedFile {
	const encoding: Encoding = dice.percent(10) ? 'latin1' : 'utf8';
	const pen = new Pen(dice, encoding);
	const hasNoKnownPlace = dice.percent(2);
	const bookings: JsonTree[] = [];
	while (pen.hasCardsLeft) bookings.push(booking(pen, hasNoKnownPlace));
	const mark = encoding === 'utf8' && dice.percent(15) ? '\ufeff' : '';
	return {
		filter: 'SIMPLEJSON',
		seed,
		...finish([mark, ...document(dice, bookings)], encoding),
		options: {},
		hasNoKnownPlace,
	};
}

function document(dice: Dice, bookings: readonly JsonTree[]): Pieces {
	const lineEnd = dice.pick(['\n', '\n', '\r\n']);
	const blank = dice.pick(['', ' ']);
	if (dice.percent(30)) return bookings.flatMap((tree) => [...jsonText(tree, '', blank), lineEnd]);
	const list: JsonTree = { list: bookings };
	const root = dice.percent(50) ? list : object(['generated', string('2026-11-21T12:00:00Z')], ['reservations', list]);
	return [...jsonText(root, dice.pick(['', '  ', '\t']), blank), dice.percent(80) ? lineEnd : ''];
}

function booking(pen: Pen, isHidden: boolean): JsonTree {
	const { dice } = pen;
	const pairs: Pair[] = [['id', string(dice.locator())]];
	for (const name of dice.shuffled(OTHER_NAMES).slice(0, dice.between(1, 5))) {
		const key = camel(name);
		pairs.push([key, string(decoy(dice, key))]);
	}
	pairs.push(...(isHidden ? [unlistedPair(pen)] : cardPairs(pen)));
	if (dice.percent(40)) pairs.push(remarkPair(pen));
	if (dice.percent(8)) pairs.push(unlistedPair(pen));
	return object(...dice.shuffled(pairs));
}

function remarkPair(pen: Pen): Pair {
	const { dice } = pen;
	const key = dice.pick(['remarks', 'comment', 'notes', 'specialRequests', 'bemerkung', 'observaciones']);
	const text = () => string(...(dice.percent(35) ? cardRemark(pen, key) : plainRemark(pen, key)));
	return [key, dice.percent(25) ? { list: [text(), text()] } : text()];
}

/** Returns a number under a key that nobody has listed, as a key itself, or in JSON that stands in a string. */
function unlistedPair(pen: Pen): Pair {
	const { dice } = pen;
	const card = pen.card();
	const name = camel(dice.pick(UNLISTED_NUMBER_NAMES));
	const at = (what: string) => ({ isKnown: false, what, name });
	switch (dice.below(6)) {
		case 0:
			return [[pen.number(card, at('a key itself'), 'plain')], object(['used', string('yes')])];
		case 1:
			return [
				name,
				string(
					'{"cardNumber":"',
					pen.number(card, at('JSON in a string'), 'plain'),
					'","cvv":"',
					pen.cvv(card, at('CVV of JSON in a string')),
					'"}',
				),
			];
		case 2:
			return [name, bare(pen.number(card, at('bare under an unknown key'), 'plain'))];
		case 3:
			return [name, { list: [string(pen.number(card, at('a list under an unknown key'))), string(dice.locator())] }];
		case 4:
			return [name, string(pen.numberAs(card, at('an escape under an unknown key'), escapeDigits(dice, card.digits)))];
		default:
			return [name, string(pen.number(card, at('an unknown key')))];
	}
}
