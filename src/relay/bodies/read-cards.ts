// Reads and judges the cards of a body, for storing them and for reporting on them.

import { CARD_TYPES, findCardType } from '../../card/brand.ts';
import { readCvv } from '../../card/cvv.ts';
import { type Expiry, monthOf } from '../../card/expiry.ts';
import { NumberReading } from '../../card/number.ts';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { judge, REFUSALS, type Verdict, WARNINGS, warningsOf } from '../../card/verdict.ts';
import { ServiceError } from '../../errors.ts';
import { hasMaskableNumber } from '../../log/card-numbers.ts';
import { expiryOfValues, valueBytes } from '../card-values.ts';
import type { Profile } from '../profile.ts';
import { isWrittenAsForm } from '../selectors/form/form.ts';
import { refusal } from '../selectors/problems.ts';
import type { LocatedBody, LocatedCard, Selectors } from '../selectors/selectors.ts';

/** Holds a body and everything that is needed to read it. */
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

/**
 * Describes a card that was found and judged. A refused card has no `card`, and its text in the body stays unchanged.
 */
export interface JudgedCard {
	/**
	 * The ordinal, from 0, of the card's place among all places for cards that the selectors find. Places that hold no
	 * card count too.
	 */
	readonly nth: number;
	readonly card?: FoundCard;
	readonly error: string;
	readonly warning: string;
}

export type ReadCards =
	| { readonly kind: 'read'; readonly cards: readonly JudgedCard[] }
	/** `unreadable` means that the body has another format than the profile says. */
	| { readonly kind: 'unreadable'; readonly looksLikeCards: boolean; readonly why: string };

const MAX_NAME_CHARACTERS = 255;
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

/**
 * Judges the card at each place.
 * @throws ServiceError if there are more than `MAX_CARDS` cards
 */
function judgeAll(places: readonly LocatedCard[], now: Date): JudgedCard[] {
	const judged: JudgedCard[] = [];
	for (const [nth, place] of places.entries()) {
		const card = judgeCard(place, nth, now);
		if (card === undefined) continue;
		if (judged.length === MAX_CARDS) throw refusal(`the body has more than ${MAX_CARDS} cards`);
		judged.push(card);
	}
	return judged;
}

/** Judges the card at a place. Returns undefined if the place holds no card at all. */
function judgeCard({ values }: LocatedCard, nth: number, now: Date): JudgedCard | undefined {
	const bytes = valueBytes(values.number);
	const number = new NumberReading().read(bytes, 0, bytes.length);
	bytes.fill(0);
	try {
		if (number.kind === 'empty' || number.kind === 'masked' || number.kind === 'token') return undefined;
		const expiry = expiryOfValues(values.expiryMonth, values.expiryYear);
		const code = valueBytes(values.securityCode);
		const cvv = readCvv(code, 0, code.length);
		code.fill(0);
		const named = values.type ? findCardType(values.type) : undefined;
		const verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
		const isTypeUnknown = Boolean(values.type) && named === undefined;
		judge(number, { expiry, cvv, type: named, isTypeUnknown, now: monthOf(now) }, verdict);
		if (verdict.refusal !== null) return { nth, error: REFUSALS[verdict.refusal], warning: '' };
		const warnings = warningsOf(verdict.warnings);
		const type = named ?? verdict.brand;
		return {
			nth,
			card: {
				digits: number.digits.toString('latin1', 0, number.count),
				expiry,
				type: type < CARD_TYPES.length ? type : 0,
				name: nameIn(values.nameOnCard),
				cvv: cvv === 'readable' ? values.securityCode!.trim() : undefined,
			},
			error: '',
			warning: warnings.map((each) => WARNINGS[each]).join(', '),
		};
	} finally {
		number.clear();
	}
}

/**
 * Returns the cardholder's name. A name that may be a card number is left out, because the name is stored as metadata,
 * which can be read in clear.
 */
function nameIn(text: string | undefined): string | undefined {
	const name = text?.trim();
	return name && name.length <= MAX_NAME_CHARACTERS && !holdsCardNumber(name) ? name : undefined;
}
