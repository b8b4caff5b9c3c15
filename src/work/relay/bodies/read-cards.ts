// Reads and judges the cards of a body, for storing them and for reporting on them.

import { PART } from '../../../base/card/card-parts.ts';
import type { Expiry } from '../../../base/card/expiry.ts';
import { CardReading, DOORS } from '../../../base/card/read-card.ts';
import { REFUSALS, WARNING_LINES } from '../../../base/card/verdict.ts';
import { ServiceError } from '../../../base/errors.ts';
import { hasMaskableNumber } from '../../../base/log/card-numbers.ts';
import { type FoundNumber, findNumbers, readValues } from '../card-values.ts';
import type { Profile } from '../profiles/profile.ts';
import { isWrittenAsForm } from '../selectors/form/form.ts';
import type { CardValues } from '../selectors/parts.ts';
import { refusal } from '../selectors/problems.ts';
import type { LocatedBody, LocatedCard, Selectors } from '../selectors/selectors.ts';

export interface ReadableBody {
	readonly body: Buffer;
	readonly kind: Profile['body'];
	readonly selectors: Selectors;
	readonly contentType?: string;
}

/** Describes a card that is to be stored, in clear. */
export interface FoundCard {
	readonly digits: string;
	readonly expiry: Expiry;
	readonly type: number;
	readonly name?: string;
	readonly cvv?: string;
}

/** A refused card has no `card`, and its text in the body stays unchanged. */
export interface JudgedCard {
	/** The ordinal, from 0, of the card's place among all that the selectors find, those without a card too. */
	readonly nth: number;
	/** Where the number is in the text at its place. A text with several numbers has as many cards. */
	readonly number: FoundNumber;
	readonly card?: FoundCard;
	readonly error: string;
	readonly warning: string;
}

export type ReadCards =
	| { readonly kind: 'read'; readonly cards: readonly JudgedCard[] }
	/** `unreadable` means that the body has another format than the profile says. */
	| { readonly kind: 'unreadable'; readonly looksLikeCards: boolean; readonly why: string };

/** A body with more cards than this is refused, because each card is stored and reported separately. */
const MAX_CARDS = 10_000;

/** Finds every place for a card in a body, and the cards at these places. A masked number or a token is not a card. */
export function findCards(from: ReadableBody, now: Date): { found: LocatedBody; read: ReadCards } {
	const { body, selectors, contentType, kind } = from;
	let why = '';
	try {
		const found = selectors.search(body, contentType);
		const { cards, looseCodes } = found;
		// Any text can be read as a form. If none of the profile's fields is found, the body may have another format.
		if (cards.length > 0 || looseCodes.length > 0 || kind !== 'form' || isWrittenAsForm(body)) {
			return { found, read: { kind: 'read', cards: judgeAll(cards, now) } };
		}
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		why = error.moreInfo ?? '';
	}
	// A body that could not be read is still searched for card numbers. In UTF-16 text a zero byte stands next to each
	// digit, so zero bytes are removed first.
	const text = body.includes(0) ? body.toString('latin1').replaceAll('\0', '') : body.toString('latin1');
	return {
		found: { cards: [], looseCodes: [] },
		read: { kind: 'unreadable', looksLikeCards: hasMaskableNumber(text), why },
	};
}

/** @throws ServiceError if there are more than `MAX_CARDS` cards */
function judgeAll(places: readonly LocatedCard[], now: Date): JudgedCard[] {
	const judged: JudgedCard[] = [];
	const reading = new CardReading(DOORS.found, now);
	try {
		for (const [nth, place] of places.entries()) {
			for (const [index, number] of findNumbers(place.values.number).entries()) {
				// A CVV belongs to the first of several numbers.
				const values = index === 0 ? place.values : { ...place.values, securityCode: undefined };
				const card = judgeCard(reading, values, number, nth);
				if (card === undefined) continue;
				if (judged.length === MAX_CARDS) throw refusal(`the body has more than ${MAX_CARDS} cards`);
				judged.push(card);
			}
		}
	} finally {
		reading.wipe();
	}
	return judged;
}

function judgeCard(reading: CardReading, values: CardValues, number: FoundNumber, nth: number): JudgedCard | undefined {
	const outcome = readValues(reading, values, number);
	if (outcome === 'none') return undefined;
	if (outcome === 'refused') return { nth, number, error: REFUSALS[reading.refusal!], warning: '' };
	const { expiry, type, warnings } = reading;
	const card = {
		digits: reading.digits(),
		expiry,
		type,
		name: reading.text(PART.name)?.toString(),
		cvv: reading.code()?.toString(),
	};
	return { nth, number, card, error: '', warning: WARNING_LINES[warnings] };
}
