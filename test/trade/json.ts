// JSON as booking systems, channel managers and payment providers write it, for the filter SIMPLEJSON.

import { type Card, maskedNumber, spellExpiry } from './cards.ts';
import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Pieces } from './draft.ts';
import { bare, escapeDigits, type JsonTree, jsonText, object, string } from './json-text.ts';
import { camel, inStyle } from './names.ts';
import { Pen } from './pen.ts';
import { cardRemark, plainRemark } from './remarks.ts';
import { LANGUAGES, NAMES, OTHER_NAMES, TELLING_CVV_NAMES, UNLISTED_NUMBER_NAMES } from './vocabulary.ts';

type Pair = readonly [Pieces | string, JsonTree];

/** One file. `seed` names it, so that it can be made again alone. */
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

/** A number under a key that nobody listed, as a key itself, or in JSON that stands in a string. */
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

/** A card object under a key that says card, the fields of a card laid flat, or pairs of name and value. */
function cardPairs(pen: Pen): Pair[] {
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

/** Keys that need the object around them to say that it is a card. */
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
	// A bare number must not begin with a zero.
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

/** Forms and surveys export lists of names and values. */
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

/** A table: names in one list, values in others. */
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
