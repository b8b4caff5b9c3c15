// Generates XML for the filter TADC, as booking sites and payment partners write it, in the layouts of American Express,
// OTA, NDC and others.

import type { Card } from './cards.ts';
import { decoy } from './decoys.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile } from './draft.ts';
import { element, text, type XmlElement, type XmlNode, xmlText } from './markup-text.ts';
import { Pen } from './pen.ts';
import { cardRemark, plainRemark } from './remarks.ts';
import { americanExpress, namedCard, ndcCard, otaCard, ownCard, unlistedElement, xmlName } from './tadc-cards.ts';
import { OTHER_NAMES } from './vocabulary.ts';

/** Generates one file. `seed` is its name, by which this file alone can be generated again. */
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
