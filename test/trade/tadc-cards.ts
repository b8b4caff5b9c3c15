// Writes the card of an XML transaction in the layouts of American Express, OpenTravel and NDC, in Tokendrop's own, and in
// layouts of no schema.

import { type Card, maskedNumber, spellExpiry } from './cards.ts';
import type { Pieces } from './draft.ts';
import { element, referDigits, text, type XmlElement, type XmlNode } from './markup-text.ts';
import { camel } from './names.ts';
import type { Pen } from './pen.ts';
import { LANGUAGES, NAMES, TELLING_CVV_NAMES, UNLISTED_NUMBER_NAMES } from './vocabulary.ts';

/** Returns the `Account` of `Message/TravelBatch/TravelTran/Account`, as American Express takes it. */
export function americanExpress(pen: Pen, card: Card): XmlElement {
	const children = [
		element('AcctNbr', [], text(number(pen, card, 'AcctNbr'))),
		element('CrdExpDt', [], text(`${card.month}${card.year.slice(2)}`)),
	];
	if (pen.dice.percent(20)) children.push(cvv(pen, card, 'CardSecurityCode'));
	return element('Account', [], ...children);
}

/** Returns a card of the OpenTravel schema, in attributes or in elements with `PlainText`. */
export function otaCard(pen: Pen, card: Card): XmlElement {
	const { dice } = pen;
	const at = { isKnown: true, name: 'SeriesCode' };
	const expiry = [`${card.month}${card.year.slice(2)}`];
	if (dice.percent(50)) {
		return element('PaymentCard', [
			['CardCode', [card.codes[0]]],
			['CardNumber', [number(pen, card, 'CardNumber', 'attribute ')]],
			['ExpireDate', expiry],
			[
				dice.pick(['SeriesCode', 'CardSecurityCode', 'CVV2', 'CVC2']),
				[pen.cvv(card, { ...at, what: 'attribute, a CVV' })],
			],
		]);
	}
	return element(
		'PaymentCard',
		[['ExpireDate', expiry]],
		element('CardNumber', [], element('PlainText', [], text(number(pen, card, 'PlainText')))),
		element('SeriesCode', [], element('PlainText', [], text(pen.cvv(card, { ...at, what: 'SeriesCode/PlainText' })))),
		element('CardHolderName', [], text('ERIKA MUSTER')),
	);
}

/** Returns a card of the schema of IATA NDC. */
export function ndcCard(pen: Pen, card: Card): XmlElement {
	return element(
		'PaymentCard',
		[],
		element('CardBrandCode', [], text(card.codes[0])),
		element('CardNumber', [], text(number(pen, card, 'CardNumber'))),
		cvv(pen, card, pen.dice.pick(['CardSecurityCode', 'SeriesCode'])),
		element('ExpirationDate', [], text(`${card.month}${card.year.slice(2)}`)),
	);
}

/** Returns a card with Tokendrop's own names, and with spellings of the number that XML allows. */
export function ownCard(pen: Pen, card: Card): XmlElement {
	const { dice } = pen;
	const at = { isKnown: true, name: 'CardNumber' };
	const values: XmlNode[] = [
		text(pen.numberAs(card, { ...at, what: 'character reference' }, referDigits(dice, card.digits))),
		{ cdata: [pen.number(card, { ...at, what: 'CDATA' })] },
		text(' ', pen.number(card, { ...at, what: 'blanks around' }), ' '),
		text(pen.brokenNumber(card, { ...at, what: 'CardNumber' })),
		text(maskedNumber(dice)),
	];
	const which = dice.below(dice.percent(20) ? values.length : 3);
	return element(
		dice.pick(['PaymentCard', 'CreditCard', 'BankCard']),
		[],
		element('CardType', [], text(card.brand)),
		element('CardNumber', [], values[which]),
		element('ExpirationDate', [], element('Month', [], text(card.month)), element('Year', [], text(card.year))),
		cvv(pen, card, dice.pick(['CVV', 'CVC', 'SecurityCode']), which === 4 ? 'CVV beside a masked number' : undefined),
	);
}

/** Returns a card with names of any language, as elements, as attributes, or as pairs of name and value. */
export function namedCard(pen: Pen, card: Card): XmlElement {
	const { dice } = pen;
	const names = NAMES[dice.pick(LANGUAGES)];
	const pick = (list: readonly string[]) => xmlName(dice.pick(list));
	const [numberName, codeName] = [pick(names.number), dice.percent(12) ? pick(TELLING_CVV_NAMES) : pick(names.cvv)];
	const roll = dice.below(10);
	if (roll < 1) {
		const pair = (key: string, value: Pieces) => element('Field', [['Name', [key]]], text(...value));
		return element(
			'Fields',
			[],
			pair(numberName, [pen.number(card, { isKnown: false, what: 'name and value', name: 'Field' })]),
			pair(codeName, [pen.cvv(card, { isKnown: false, what: 'CVV as name and value', name: codeName })]),
		);
	}
	const isAttribute = roll < 4;
	const all: (readonly [string, Pieces])[] = dice.shuffled([
		[numberName, [number(pen, card, numberName)]],
		[pick(names.expiry), [spellExpiry(dice, card)]],
		[codeName, [pen.cvv(card, { isKnown: true, what: `"${codeName}", a CVV`, name: codeName })]],
		[pick(names.holder), ['MARIE DUPONT']],
	] as (readonly [string, Pieces])[]);
	const container = dice.pick(['PaymentCard', 'Payment', 'Guarantee', 'Zahlung', 'Tarjeta', 'Card']);
	if (isAttribute) return element(container, all);
	return element(container, [], ...all.map(([name, value]) => element(name, [], text(...value))));
}

/** Returns an element with a number where nobody would look for it. */
export function unlistedElement(pen: Pen, card: Card): XmlElement {
	const { dice } = pen;
	const name = xmlName(dice.pick(UNLISTED_NUMBER_NAMES));
	const at = (what: string) => ({ isKnown: false, what, name });
	switch (dice.below(6)) {
		case 4:
			return embedded(pen, card, name);
		case 0:
			return element(name, [['Value', [pen.number(card, at('attribute of an unknown element'))]]]);
		case 1:
			return element(name, [], { cdata: [pen.number(card, at('CDATA of an unknown element'))] });
		case 2:
			return element(name, [], { comment: [' ', pen.number(card, at('comment in an unknown element')), ' '] });
		case 3:
			return element(
				name,
				[],
				text(pen.numberAs(card, at('character reference in an unknown element'), referDigits(dice, card.digits))),
			);
		default:
			return element(name, [], text(pen.number(card, at('unknown element'))));
	}
}

/** Returns an element whose text is another message, as integration platforms log them. */
function embedded(pen: Pen, card: Card, name: string): XmlElement {
	const at = (what: string) => ({ isKnown: false, what, name });
	const number = pen.number(card, at('XML in a text'), 'plain');
	const code = pen.cvv(card, at('CVV of XML in a text'));
	return element(name, [], text('<CardNumber>', number, '</CardNumber><CVV>', code, '</CVV>'));
}

function number(pen: Pen, card: Card, name: string, what = '') {
	return pen.number(card, { isKnown: true, what: `${what}"${name}"`, name });
}

function cvv(pen: Pen, card: Card, name: string, what = `"${name}", a CVV`): XmlElement {
	return element(name, [], text(pen.cvv(card, { isKnown: true, what, name })));
}

/** Returns a name in a form that an XML element may have: letters, digits and underscores, but no blanks. */
export function xmlName(name: string): string {
	const plain = camel(name)
		.normalize('NFC')
		.replace(/[^\p{L}\p{N}_]|[ºª]/gu, '');
	return plain[0].toUpperCase() + plain.slice(1);
}
