// The cards of a body, read and judged: what is stored of them later, and what is said of them.

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

/** A body and how it is read. */
export interface ReadableBody {
	readonly body: Buffer;
	readonly kind: Profile['body'];
	readonly selectors: Selectors;
	readonly contentType?: string;
}

/** A card that is to be stored, in clear. */
export interface FoundCard {
	readonly digits: string;
	readonly expiry: Expiry;
	readonly type: number;
	readonly name?: string;
	readonly cvv?: string;
}

/** One that was found. `card` is absent where it passes unchanged. */
export interface JudgedCard {
	/** Its place among all that the selectors find, holding cards or not. */
	readonly nth: number;
	readonly card?: FoundCard;
	readonly error: string;
	readonly warning: string;
}

export type ReadCards =
	| {
			readonly kind: 'read';
			readonly cards: readonly JudgedCard[];
			/** Whether the selectors find a place for a CVV, with a card or without one. */
			readonly hasCodes: boolean;
	  }
	/** In another format than the profile's. */
	| { readonly kind: 'unreadable'; readonly looksLikeCards: boolean; readonly why: string };

const MAX_NAME_CHARACTERS = 255;
/** Each is stored by itself, and told of by itself. */
const MAX_CARDS = 10_000;

/** Every place of a body, and the cards among them. What is masked or a token already is no card. */
export function findCards(from: ReadableBody, now: Date): { found: LocatedBody; read: ReadCards } {
	const { body, selectors, contentType, kind } = from;
	let why = '';
	try {
		const found = selectors.search(body, contentType);
		const { cards, looseCodes } = found;
		// Anything can be read as a form: what has none of the fields may be something else.
		if (cards.length > 0 || looseCodes.length > 0 || kind !== 'form' || isWrittenAsForm(body)) {
			const hasCodes = looseCodes.length > 0 || cards.some((card) => card.codes.length > 0);
			return { found, read: { kind: 'read', cards: judgeAll(cards, now), hasCodes } };
		}
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		why = error.moreInfo ?? '';
	}
	// Without the zeros of UTF-16, which is refused and can be looked at all the same.
	const text = body.includes(0) ? body.toString('latin1').replaceAll('\0', '') : body.toString('latin1');
	return {
		found: { cards: [], looseCodes: [] },
		read: { kind: 'unreadable', looksLikeCards: hasMaskableNumber(text), why },
	};
}

/** @throws ServiceError for more than anybody sends */
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

/** Undefined for a place that holds no card at all. */
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

/** Metadata shows it in clear, so a name that may be a card number is not kept. */
function nameIn(text: string | undefined): string | undefined {
	const name = text?.trim();
	return name && name.length <= MAX_NAME_CHARACTERS && !holdsCardNumber(name) ? name : undefined;
}
