// Tries a profile on a body and reports what it finds, without any card number or CVV.

import { brandOf, CARD_TYPES } from '../../../base/card/brand.ts';
import { passesLuhn } from '../../../base/card/luhn.ts';
import { maskNumber } from '../../../base/card/masking.ts';
import { CardReading, DOORS } from '../../../base/card/read-card.ts';
import { REFUSALS, WARNING_TEXTS } from '../../../base/card/verdict.ts';
import { lineAt } from '../../../base/text/line-ends.ts';
import { type FoundNumber, findNumbers, readValues } from '../card-values.ts';
import type { LocatedCard } from '../selectors/selectors.ts';
import { textSpelling } from '../selectors/text-spelling.ts';
import { CARD_PARTS, type SelectorSource } from './profile.ts';
import type { ReadyProfile } from './profile-document.ts';
import { type SelectorTrace, traceSelectors } from './selector-trace.ts';
import { findUnusedFields, type UnusedField } from './unused-fields.ts';

/** Names what stands where a profile expects a card number. `text` is any content that none of the others fits. */
export type TriedContent = 'number' | 'token' | 'masked' | 'empty' | 'spreadsheet' | 'text';

export interface Trial {
	readonly cards: readonly TriedCard[];
	/** The placeholders of a `text` body; empty for all other bodies. */
	readonly placeholders: ReturnType<typeof triedPlaceholders>;
	/** Tells for each selector in the `cards` of the profile how much of it matched. It is empty for `text` bodies. */
	readonly selectors: readonly SelectorTrace[];
	/** Lists the fields that look like parts of a card but that no selector finds. It is empty for `text` bodies. */
	readonly unused: readonly TriedField[];
}

/** Describes a field of the body that looks like a part of a card but that no selector finds. */
export interface TriedField extends UnusedField {
	readonly line: number;
}

export type TriedProfile = SelectorSource & Pick<ReadyProfile, 'direction' | 'contentType' | 'selectors'>;

export interface TrialInput {
	readonly body: Buffer;
	readonly contentType?: string;
	readonly now: Date;
}

/**
 * Looks for cards in a body as a call with the profile would, and tells for every selector how much of it matched.
 * @throws ServiceError for a body that cannot be read
 */
export function tryProfile(profile: TriedProfile, { body, contentType = profile.contentType, now }: TrialInput): Trial {
	if (profile.body === 'text')
		return { cards: [], placeholders: triedPlaceholders(profile, body, contentType), selectors: [], unused: [] };
	const reading = new CardReading(DOORS.found, now);
	const isTokenized = profile.direction !== 'replace';
	const located = profile.selectors.locate(body, contentType);
	const cards = located.flatMap((card) =>
		findNumbers(card.values.number).map((number) => triedCard(card, number, body, reading, isTokenized)),
	);
	reading.wipe();
	return {
		placeholders: [],
		cards,
		selectors: traceSelectors(profile, body, contentType),
		unused: findUnusedFields(profile, body, contentType).map((field) => ({
			line: lineAt(body, 1, 0, field.offset),
			...field,
		})),
	};
}

const PLACEHOLDER = /\{\{([A-Za-z]\w*)(?::(\d{1,3}))?\}\}/g;

/**
 * Lists the placeholders of a `text` body. It also fills the body with as many dummy cards as the placeholders need, so
 * that a body that a call could not fill is refused here too.
 */
function triedPlaceholders(profile: TriedProfile, body: Buffer, contentType: string | undefined) {
	const found = [...body.toString('latin1').matchAll(PLACEHOLDER)];
	const last = Math.max(1, ...found.map(([, , ordinal]) => Number(ordinal ?? 1)));
	if (body.includes('{{'))
		profile.selectors.fill(
			body,
			Array.from({ length: last }, () => DUMMY),
			contentType,
		);
	const hasNoRule = textSpelling(contentType).isRaw;
	return found.map(({ 0: whole, 1: part, index }) => {
		// Its value may have characters that the content type has no rule for, so that they go out as they are.
		const isRaw = hasNoRule && part === 'nameOnCard';
		// Such a placeholder is `cardNumber:2`.
		return { line: lineAt(body, 1, 0, index), offset: index, placeholder: whole.slice(2, -2), isRaw };
	});
}

const DUMMY = { number: '0' } as const;

export type TriedCard = ReturnType<typeof triedCard>;

function triedCard(card: LocatedCard, found: FoundNumber, body: Buffer, reading: CardReading, isTokenized: boolean) {
	const outcome = readValues(reading, card.values, found);
	const { number, expiry } = reading;
	const content: TriedContent = number.kind !== 'digits' ? number.kind : number.hasOtherCharacters ? 'text' : 'number';
	const isNumber = content === 'number';
	const brand = isNumber ? brandOf(number.digits, 0, number.count) : 0;
	return {
		/** The line of the number, counted from 1. */
		line: lineAt(body, 1, 0, card.start),
		/** The offset of the number, in bytes from the start of the body. */
		offset: card.start,
		content,
		number: isNumber ? maskNumber(reading.digits()) : null,
		/** The brand to which the beginning of the number belongs; null if it belongs to none, or if there is no number. */
		brand: brand !== 0 ? CARD_TYPES[brand] : null,
		passesLuhn: isNumber ? passesLuhn(number.digits, 0, number.count) : null,
		/** The expiry, such as `2030-04`; null if none can be read. */
		expiry: expiry > 0 ? `${Math.floor(expiry / 100)}-${String(expiry % 100).padStart(2, '0')}` : null,
		parts: CARD_PARTS.filter((part) => card.has(part)),
		/**
		 * The reason why the card would not be tokenized. It is null if the card would be tokenized, if there is no card,
		 * and for profiles that only replace tokens.
		 */
		refusal: isTokenized && outcome === 'refused' ? REFUSALS[reading.refusal!] : null,
		warnings: isTokenized && outcome === 'accepted' ? WARNING_TEXTS[reading.warnings] : [],
	};
}
