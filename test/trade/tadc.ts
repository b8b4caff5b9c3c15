// XML as booking sites and payment partners write it, for the filter TADC: American Express's layout, OTA, NDC, and others.

import { type Card, maskedNumber, spellExpiry } from './cards.ts';
import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Pieces } from './draft.ts';
import { element, referDigits, text, type XmlElement, type XmlNode, xmlText } from './markup-text.ts';
import { camel } from './names.ts';
import { Pen } from './pen.ts';
import { cardRemark, plainRemark } from './remarks.ts';
import { LANGUAGES, NAMES, OTHER_NAMES, TELLING_CVV_NAMES, UNLISTED_NUMBER_NAMES } from './vocabulary.ts';

/** One file. `seed` names it, so that it can be made again alone. */
export function tadcFile(dice: Dice, seed: string): GeneratedFile {
	const encoding: Encoding = dice.percent(20) ? 'latin1' : 'utf8';
	const pen = new Pen(dice, encoding);
	const hasNoKnownPlace = dice.percent(2);
	const layout = {
		lineEnd: dice.pick(['\n', '\n', '\r\n']),
		indent: dice.pick(['', '  ', '\t']),
		quote: dice.pick(['"', '"', "'"]),
		prefix: dice.percent(20) ? 'ota:' : '',
	};
	const write = hasNoKnownPlace ? unlistedElement : dice.pick([americanExpress, otaCard, ndcCard, ownCard, namedCard]);
	const transactions: XmlNode[] = [];
	while (pen.hasCardsLeft) {
		transactions.push(transaction(pen, write));
		if (dice.percent(8)) transactions.push({ comment: cardRemark(pen, 'comment') });
	}
	const root = element('Message', layout.prefix === '' ? [] : [['xmlns:ota', ['urn:example']]], ...transactions);
	const mark = encoding === 'utf8' && dice.percent(15) ? '\ufeff' : '';
	const declared = encoding === 'utf8' ? 'UTF-8' : 'ISO-8859-1';
	const declaration =
		encoding === 'latin1' || dice.percent(70) ? `<?xml version="1.0" encoding="${declared}"?>${layout.lineEnd}` : '';
	const whole = [mark, declaration, ...xmlText(root, layout), dice.percent(70) ? layout.lineEnd : ''];
	return { filter: 'TADC', seed, ...finish(whole, encoding), options: {}, hasNoKnownPlace };
}

function transaction(pen: Pen, write: (pen: Pen, card: Card) => XmlElement): XmlElement {
	const { dice } = pen;
	const name = dice.pick(['TravelTran', 'Transaction', 'HotelReservation', 'Booking']);
	const other = dice
		.shuffled(OTHER_NAMES)
		.slice(0, dice.between(1, 5))
		.map((each) => {
			const tag = xmlName(each);
			return element(tag, [], text(decoy(dice, tag)));
		});
	const children: XmlNode[] = [...other, write(pen, pen.card())];
	if (dice.percent(40)) children.push(remark(pen));
	if (dice.percent(6)) children.push(unlistedElement(pen, pen.card()));
	return element(name, dice.percent(50) ? [['Id', [dice.locator()]]] : [], ...dice.shuffled(children));
}

function remark(pen: Pen): XmlNode {
	const { dice } = pen;
	const name = dice.pick(['Remark', 'Comment', 'SpecialRequest', 'Text', 'Bemerkung']);
	const content = dice.percent(35) ? cardRemark(pen, name) : plainRemark(pen, name);
	const roll = dice.below(10);
	if (roll < 2) return element(name, [], { cdata: content });
	if (roll < 3) return { comment: content };
	if (roll < 4) return { instruction: content };
	if (roll < 6) return element(name, [['Text', content]]);
	return element(name, [], text(...content));
}

/** `Message/TravelBatch/TravelTran/Account`, as American Express takes it. */
function americanExpress(pen: Pen, card: Card): XmlElement {
	const children = [
		element('AcctNbr', [], text(number(pen, card, 'AcctNbr'))),
		element('CrdExpDt', [], text(`${card.month}${card.year.slice(2)}`)),
	];
	if (pen.dice.percent(20)) children.push(cvv(pen, card, 'CardSecurityCode'));
	return element('Account', [], ...children);
}

/** OpenTravel: attributes, or elements with `PlainText`. */
function otaCard(pen: Pen, card: Card): XmlElement {
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

/** IATA NDC. */
function ndcCard(pen: Pen, card: Card): XmlElement {
	return element(
		'PaymentCard',
		[],
		element('CardBrandCode', [], text(card.codes[0])),
		element('CardNumber', [], text(number(pen, card, 'CardNumber'))),
		cvv(pen, card, pen.dice.pick(['CardSecurityCode', 'SeriesCode'])),
		element('ExpirationDate', [], text(`${card.month}${card.year.slice(2)}`)),
	);
}

/** Our own names, and spellings that XML allows. */
function ownCard(pen: Pen, card: Card): XmlElement {
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

/** Names of any language, as elements, attributes, or pairs of name and value. */
function namedCard(pen: Pen, card: Card): XmlElement {
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

/** A number where nobody would look. */
function unlistedElement(pen: Pen, card: Card): XmlElement {
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

/** A message within the message, as integration platforms log them. */
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

/** A name as an element may have it: letters, digits, no blanks. */
function xmlName(name: string): string {
	const plain = camel(name)
		.normalize('NFC')
		.replace(/[^\p{L}\p{N}_]|[ºª]/gu, '');
	return plain[0].toUpperCase() + plain.slice(1);
}
