// Makes a card of the values that were typed into a form. `judge-fields.ts` judges them, as it does in the page; what is kept
// in clear beside the card is judged here alone.

import { CARD_TYPES, type CardTypeIndex } from '../../../base/card/brand.ts';
import { CardNumber } from '../../../base/card/card-number.ts';
import { PART } from '../../../base/card/card-parts.ts';
import { Cvv } from '../../../base/card/clear-cvv.ts';
import { monthOf } from '../../../base/card/expiry.ts';
import { findCardType } from '../../../base/card/names/brand-names.ts';
import { CardReading, DOORS } from '../../../base/card/read-card.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
import { type FieldProblems, type FieldRules, judgeFields, judgeStoredCvv, type TypedFields } from './judge-fields.ts';

export interface ReadFields {
	readonly card: NewCard;
	readonly cvv: Cvv | undefined;
}

export function readCardFields(
	typed: TypedFields,
	rules: FieldRules,
	now: Date,
): ReadFields | { readonly problems: FieldProblems } {
	const judged = judgeFields({ ...typed, cardType: typeNameOf(typed.cardType) }, rules, monthOf(now));
	const problems = { ...judged.problems };
	const reading = new CardReading(DOORS.form, now);
	try {
		const plain = (text = '') => text.replaceAll('\0', '').trim();
		reading.parts.begin();
		reading.parts.put(PART.number, judged.digits);
		reading.parts.put(PART.cvv, judged.cvv);
		reading.parts.put(PART.name, plain(typed.nameOnCard));
		if (rules.asksOwnerId) reading.parts.put(PART.owner, plain(typed.ownerId));
		reading.read(judged.expiry);
		const { [PART.name]: name, [PART.owner]: owner } = reading.problems;
		if (owner !== null) problems.ownerId = owner === 'long' ? 'tooLong' : 'ownerNumber';
		if (name !== null) problems.nameOnCard = name === 'long' ? 'tooLong' : 'nameNumber';
		if (Object.keys(problems).length > 0) return { problems };
		if (reading.refusal !== null) throw new Error('internal error: a form takes a card that no door takes');
		const [nameText, ownerText] = [reading.text(PART.name)?.toString(), reading.text(PART.owner)?.toString()];
		return {
			card: {
				number: new CardNumber(judged.digits),
				expiry: judged.expiry,
				type: judged.type,
				name: nameText,
				owner: ownerText,
			},
			cvv: judged.cvv === '' ? undefined : new Cvv(judged.cvv),
		};
	} finally {
		reading.wipe();
	}
}

/** Returns the name of a card type on the wire. A browser without scripts may send any text. */
function typeNameOf(text = ''): string {
	const type = text.trim() === '' ? undefined : findCardType(text);
	return type === undefined ? '' : CARD_TYPES[type];
}

/** Returns the CVV that was typed for a stored card of a brand, or notes what is wrong with it. */
export function readCvvText(text: string, brand: CardTypeIndex, problems: FieldProblems): Cvv | undefined {
	const { digits, problem } = judgeStoredCvv(text, brand);
	if (problem === undefined) return new Cvv(digits);
	problems.cvv = problem;
	return undefined;
}
