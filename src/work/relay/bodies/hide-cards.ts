// Writes masked numbers or tokens in place of the numbers that are tokenized, and stars over every CVV except that of a
// refused card.

import { randomBytes } from 'node:crypto';
import { CardNumber } from '../../../base/card/card-number.ts';
import { Edits } from '../../../engine/splice.ts';
import { TOKEN_BYTES, TOKEN_CHARACTERS, type Token } from '../../../vault/tokens/token.ts';
import type { Profile } from '../profiles/profile.ts';
import type { LocatedBody, StarrableCode } from '../selectors/selectors.ts';
import type { JudgedCard } from './read-cards.ts';

/** Holds a body without the numbers of its accepted cards. */
export interface HiddenCards {
	readonly bytes: Buffer;
	/**
	 * The byte offsets of the tokens, in the order of the accepted cards. The tokens are not known yet when the body is
	 * read, so `writeTokens` writes them. It is empty if masked numbers are written instead.
	 */
	readonly tokenOffsets: Uint32Array;
}

/**
 * Returns the body with masked numbers or places for tokens instead of the numbers of its accepted cards, and with stars
 * for every CVV except those of refused cards (shapes §11). Stars are also written over a CVV that stands without a
 * number, next to a masked number or a token, or where it may belong to several numbers that were not all refused. If
 * nothing has to be written, the original body is returned.
 */
export function hideCards(
	body: Buffer,
	{ cards, looseCodes }: LocatedBody,
	judged: readonly JudgedCard[],
	inPlace: Profile['inPlace'],
): HiddenCards {
	const edits = new Edits();
	// The tokens are not known yet, so a mark of the same length is written for each, and found again in the result by
	// searching for it. The mark is random, so that nobody can send a body that already contains it.
	const mark = inPlace === 'token' ? randomBytes(TOKEN_BYTES).toString('hex') : undefined;
	const accepted = judged.filter(({ card }) => card !== undefined);
	const hidden = new Map<number, string>();
	for (const { nth, number, card } of accepted.toReversed()) {
		const text = hidden.get(nth) ?? cards[nth].values.number!;
		const [code, after] = number.code ?? [number.end, number.end];
		const instead = mark ?? new CardNumber(card!.digits).masked();
		const between = text.slice(number.end, code) + '*'.repeat(after - code);
		hidden.set(nth, text.slice(0, number.start) + instead + between + text.slice(after));
	}
	const refused = new Set(judged.flatMap(({ nth }) => (hidden.has(nth) ? [] : [nth])));
	// Several cards may share the place of a CVV, which is written only once.
	const written = new Set<unknown>();
	for (const [nth, text] of [...hidden].reverse()) {
		cards[nth].hide(edits, text);
		for (const place of cards[nth].places) written.add(place);
	}
	const star = (codes: readonly StarrableCode[]) => {
		for (const code of codes) {
			if (written.has(code.place)) continue;
			written.add(code.place);
			code.starCode(edits);
		}
	};
	const mixed = new Set(cards.filter((_, nth) => !refused.has(nth)).map(({ container }) => container));
	for (const [nth, card] of cards.entries()) {
		if (!refused.has(nth)) star(card.codes);
		else if (mixed.has(card.container)) star(card.strayCodes);
	}
	star(looseCodes);
	const bytes = edits.count === 0 ? body : edits.apply(body, 0, body.length);
	return { bytes, tokenOffsets: mark === undefined ? NONE : offsetsOf(mark, bytes, accepted.length) };
}

const NONE = new Uint32Array(0);

function offsetsOf(mark: string, bytes: Buffer, count: number): Uint32Array {
	const offsets = new Uint32Array(count);
	for (let nth = 0, from = 0; nth < count; nth++) {
		const at = bytes.indexOf(mark, from, 'latin1');
		if (at < 0) throw new Error('internal error: a place for a token was not written');
		offsets[nth] = at;
		from = at + mark.length;
	}
	return offsets;
}

/** Writes the tokens of the accepted cards, in their order, to the places that `hideCards` left for them. */
export function writeTokens({ bytes, tokenOffsets }: HiddenCards, tokens: readonly Token[]): void {
	for (const [nth, offset] of tokenOffsets.entries()) bytes.write(tokens[nth], offset, TOKEN_CHARACTERS, 'latin1');
}
