// Writes the card of a JSON booking as an object, as fields of the booking, as pairs of name and value, or as a table.

import { type Card, maskedNumber, spellExpiry } from './cards.ts';
import type { Pieces } from './draft.ts';
import { bare, escapeDigits, type JsonTree, object, string } from './json-text.ts';
import { camel, inStyle } from './names.ts';
import type { Pen } from './pen.ts';
import { LANGUAGES, NAMES, TELLING_CVV_NAMES } from './vocabulary.ts';

export type Pair = readonly [Pieces | string, JsonTree];

/** Returns a card as an object or list under a key, as fields of the booking, as pairs of name and value, or as a table. */
export function cardPairs(pen: Pen): Pair[] {
	const { dice } = pen;
	const card = pen.card();
	const isMasked = dice.percent(4);
	const roll = dice.below(100);
	if (roll < 7) return [['fields', nameValueList(pen, card)]];
	if (roll < 10) return [['table', table(pen, card)]];
	if (roll < 35) return fields(pen, card, isMasked, '');
	const key = dice.pick([
		'card',
		'creditCard',
		'payment',
		'paymentCard',
		'guarantee',
		'billing',
		'credit_card',
		'virtualCard',
		'vcc',
	]);
	const inner = fields(pen, card, isMasked, key);
	if (roll < 45) return [[key, { list: [object(...inner)] }]];
	return [[key, object(...inner)]];
}

/** Keys that say that the object under them is a card, so that the key of its number may be just `number`. */
const CARD_KEYS = ['card', 'creditCard', 'credit_card', 'paymentCard'];

function fields(pen: Pen, card: Card, isMasked: boolean, around: string): Pair[] {
	const { dice, encoding } = pen;
	const names = NAMES[dice.percent(65) ? 'english' : dice.pick(LANGUAGES)];
	const styled = (list: readonly string[]) => {
		const name = dice.pick(list);
		return dice.percent(60) ? camel(name) : inStyle(dice, name, encoding);
	};
	const numberKey = CARD_KEYS.includes(around) && dice.percent(30) ? 'number' : styled(names.number);
	const all: Pair[] = [[numberKey, numberValue(pen, card, isMasked, numberKey)]];
	if (dice.percent(75)) all.push([styled(names.expiry), string(spellExpiry(dice, card))]);
	else
		all.push(
			[styled(names.month), string(card.month)],
			[styled(names.year), dice.percent(50) ? bare(card.year) : string(card.year)],
		);
	if (dice.percent(70)) all.push(cvvPair(pen, card, isMasked, styled(names.cvv)));
	if (dice.percent(50)) all.push([styled(names.type), string(dice.pick([card.brand, card.codes[0]]))]);
	if (dice.percent(50)) all.push([styled(names.holder), string('MARIE DUPONT')]);
	return dice.shuffled(all);
}

function numberValue(pen: Pen, card: Card, isMasked: boolean, name: string): JsonTree {
	const { dice } = pen;
	if (isMasked) return string(maskedNumber(dice));
	const at = { isKnown: true, what: `key "${name}"`, name };
	if (dice.percent(3)) return string(pen.brokenNumber(card, at));
	const roll = dice.below(100);
	if (roll < 12) return bare(pen.numberAs(card, { ...at, what: 'number key, bare' }, card.digits));
	if (roll < 16)
		return string(pen.numberAs(card, { ...at, what: 'number key, escape' }, escapeDigits(dice, card.digits)));
	if (roll < 20)
		return object(['value', string(pen.number(card, { ...at, isKnown: false, what: 'an object under a number key' }))]);
	if (roll < 23)
		return { list: [string(pen.number(card, { ...at, isKnown: false, what: 'a list under a number key' }))] };
	return string(pen.number(card, { ...at, what: 'number key' }));
}

function cvvPair(pen: Pen, card: Card, isMasked: boolean, name: string): Pair {
	const { dice } = pen;
	const isTelling = dice.percent(12);
	const key = isTelling ? camel(dice.pick(TELLING_CVV_NAMES)) : name;
	const where = isTelling ? 'a telling key of a CVV' : `key "${key}", a CVV`;
	const at = { isKnown: !isTelling, what: isMasked ? 'CVV beside a masked number' : where, name: key };
	const roll = dice.below(100);
	// In JSON, a bare number must not begin with a zero.
	if (roll < 15 && !card.cvv.startsWith('0')) return [key, bare(pen.cvv(card, { ...at, what: `${at.what}, bare` }))];
	if (roll < 19)
		return [
			key,
			object(['value', string(pen.cvv(card, { ...at, isKnown: false, what: 'an object under a CVV key' }))]),
		];
	if (roll < 22)
		return [key, { list: [string(pen.cvv(card, { ...at, isKnown: false, what: 'a list under a CVV key' }))] }];
	if (roll < 27)
		return [
			'security',
			object([key, string(pen.cvv(card, { ...at, isKnown: false, what: 'CVV in an object beside the number' }))]),
		];
	return [key, string(pen.cvv(card, at))];
}

/** Returns a card as a list of names and values, as forms and surveys export it. */
function nameValueList(pen: Pen, card: Card): JsonTree {
	const { dice } = pen;
	const names = NAMES[dice.pick(LANGUAGES)];
	const [number, cvv] = [dice.pick(names.number), dice.pick(names.cvv)];
	const entry = (name: string, value: JsonTree) => object(['name', string(name)], ['value', value]);
	return {
		list: [
			entry(number, string(pen.number(card, { isKnown: false, what: 'name and value', name: 'value' }))),
			entry(dice.pick(names.expiry), string(spellExpiry(dice, card))),
			entry(cvv, string(pen.cvv(card, { isKnown: false, what: 'CVV as name and value', name: cvv }))),
		],
	};
}

/** Returns a card as a table, with the names in one list and the values in another. */
function table(pen: Pen, card: Card): JsonTree {
	const { dice } = pen;
	const names = NAMES[dice.pick(LANGUAGES)];
	const [number, cvv] = [dice.pick(names.number), dice.pick(names.cvv)];
	const at = (what: string, name: string) => ({ isKnown: false, what, name });
	const row = [
		string(pen.number(card, at('table of lists', number))),
		string(pen.cvv(card, at('CVV in a table of lists', cvv))),
	];
	return object(['columns', { list: [string(number), string(cvv)] }], ['rows', { list: [{ list: row }] }]);
}
