// Puts cards into URLs and into the bodies of profiles with `body: text`. Placeholders mark where a card is inserted
// (shapes §4).

import { bomLengthOf } from './charset.ts';
import type { Frame } from './code-places.ts';
import type { FilledBytes, OutgoingCard } from './fill.ts';
import { refusal } from './problems.ts';
import { textSpelling } from './text-spelling.ts';

const QUOTE = 0x22;
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const MEANINGS: Readonly<Record<string, (card: OutgoingCard) => string | undefined>> = {
	cardNumber: ({ number }) => number,
	nameOnCard: ({ nameOnCard }) => nameOnCard,
	expirationMonth: ({ expiryMonth }) => expiryMonth,
	expirationYear: ({ expiryYear }) => expiryYear,
	expirationYear2: ({ expiryYear }) => expiryYear?.slice(-2),
	cvv: ({ securityCode }) => securityCode,
	cardType: ({ type }) => type,
};

/**
 * Returns the template with its placeholders filled. `{{cvv:2}}` is the CVV of the second card, and a part that a card
 * lacks becomes empty.
 * @param encode escapes a value as the template requires, for example `encodeURIComponent` for a URL.
 * @throws ServiceError('bad-input-data') for an unknown placeholder, or one for a card that was not given.
 */
export function fillText(template: string, cards: readonly OutgoingCard[], encode: (value: string) => string): string {
	return fillTemplate(template, cards, encode).text;
}

/** As `fillText`, and tells for each CVV the ordinal of its card, from 0, and its range in the filled text. */
function fillTemplate(
	template: string,
	cards: readonly OutgoingCard[],
	encode: (value: string, isQuoted: boolean) => string,
) {
	const codes: { readonly card: number; readonly start: number; readonly end: number }[] = [];
	let growth = 0;
	let quotes = 0;
	let counted = 0;
	const text = template.replace(PLACEHOLDER, (placeholder, inside: string, offset: number) => {
		const { name, meaning, ordinal } = parsePlaceholder(inside, offset);
		const card = cards[ordinal - 1];
		if (card === undefined) {
			throw refusal(`the placeholder at offset ${offset} asks for card ${ordinal}; ${cards.length} were given`);
		}
		for (; counted < offset; counted++) if (template.charCodeAt(counted) === QUOTE) quotes++;
		const value = encode(meaning(card) ?? '', quotes % 2 === 1);
		const start = offset + growth;
		if (name === 'cvv') codes.push({ card: ordinal - 1, start, end: start + value.length });
		growth += value.length - placeholder.length;
		return value;
	});
	return { text, codes };
}

function parsePlaceholder(inside: string, offset: number) {
	const [, name, digits] = /^(\w+)(?::([1-9]\d{0,2}))?$/.exec(inside) ?? [];
	const isKnown = name !== undefined && Object.hasOwn(MEANINGS, name);
	if (!isKnown) {
		throw refusal(`an unknown placeholder at offset ${offset}; expected one of ${Object.keys(MEANINGS).join(', ')}`);
	}
	return { name, meaning: MEANINGS[name], ordinal: digits === undefined ? 1 : Number(digits) };
}

/** Returns a `text` body with its placeholders filled. Its Content-Type decides how the values are escaped. */
export function fillTextBody(
	body: Buffer,
	cards: readonly OutgoingCard[],
	contentType: string | undefined,
): FilledBytes {
	bomLengthOf(body);
	const template = body.toString('latin1');
	const last = lastOrdinal(template);
	if (last === 0) throw refusal('the body has no placeholder for a card');
	if (last !== cards.length) {
		throw refusal(`${cards.length} tokens were given; the placeholders of the body ask for ${last} cards`);
	}
	// The template was decoded as Latin-1, in which every byte is one character, so all bytes around the placeholders
	// stay the same.
	const { text, codes } = fillTemplate(template, cards, textSpelling(contentType).spell);
	const places = Int32Array.from(codes.flatMap(({ card, start, end }) => [card, start, end, 0]));
	return { bytes: Buffer.from(text, 'latin1'), hasCode: [], codePlaces: { places, frames: [BARE] } };
}

/** A placeholder leaves nothing around a CVV, and no content type escapes digits. */
const BARE: Frame = { around: ['', ''], aroundZero: ['', ''] };

function lastOrdinal(template: string): number {
	let last = 0;
	for (const { 1: inside, index } of template.matchAll(PLACEHOLDER)) {
		last = Math.max(last, parsePlaceholder(inside, index).ordinal);
	}
	return last;
}
