// Tokenizes the cards in a body that a third party sent. Tokenization on response, tokenization on request of a third
// party, and universal tokenization (spec §4.1) all use this code.

import { CardNumber } from '../../base/card/card-number.ts';
import { Cvv } from '../../base/card/clear-cvv.ts';
import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { badInput, ServiceError } from '../../base/errors.ts';
import { type Principal, storedBy } from '../../people/identity/principal.ts';
import type { StoredMessage } from '../../vault/cards/new-card.ts';
import type { Token } from '../../vault/tokens/token.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Bodies, ReadBody } from './bodies/bodies.ts';
import type { FoundCard, JudgedCard } from './bodies/read-cards.ts';
import type { Profile } from './profiles/profile.ts';

/** Holds a call's options for the cards that it stores (shapes §3, §4). */
export interface StoreWishes {
	readonly reference?: string;
	readonly merchantId?: AccountId;
	/** If false, a CVV is checked and then dropped. If true, the caller has made sure that the account may keep CVVs. */
	readonly keepsCvv: boolean;
	readonly eliminatesDuplicates?: boolean;
	/** A message with more cards than this is refused before any card is stored. */
	readonly maxTokens?: number;
}

export interface TokenizedBody {
	readonly body: Buffer;
	/** The tokens of the tokenized cards, in the order of the message (shapes §11). */
	readonly tokens: readonly Token[];
	/** One text per card, in the order of the message; empty if there is nothing to report on the card (spec §4.1). */
	readonly errors: readonly string[];
	readonly warnings: readonly string[];
	/** The numbers that tokens replaced, in clear, so that repetitions of them elsewhere in the message are found. */
	readonly numbers: readonly string[];
}

/** Names the account to which a message belongs, and the profile and content type by which it is read. */
export interface Sender {
	readonly principal: Principal;
	readonly profile: Profile;
	readonly contentType?: string;
	/** The error that is thrown if the message may hold cards that cannot be found, because it cannot be read. */
	readonly refusal: 'target-unreachable' | 'bad-input-data';
	/**
	 * Tells how the audit trail describes a message in which cards are stored. A message without cards is recorded by the
	 * code that calls `tokenizeBody`.
	 */
	readonly message: StoredMessage;
}

/**
 * Tokenizes the cards that the profile's selectors find. A card that cannot be tokenized passes unchanged, and a masked
 * number or a token does not count as a card. CVVs become stars, except those that belong to a refused card. If the
 * body does not have the format of the profile, no card can be found in it; it then passes if nothing in it looks like
 * a card. The given buffer must not be used any more.
 * @throws ServiceError `from.refusal` if the body does not have the format of the profile and looks as if it held a
 * card, `bad-input-data` for more cards than allowed, `too-many-calls` if too many large bodies are being read and no
 * third party was called before
 */
export async function tokenizeBody(
	{ vault, clock, bodies }: { readonly vault: Vault; readonly clock: Clock; readonly bodies: Bodies },
	from: Sender,
	body: Buffer,
	wishes: StoreWishes,
): Promise<TokenizedBody> {
	const { principal, profile, contentType } = from;
	if (body.length === 0) return { body, tokens: [], errors: [], warnings: [], numbers: [] };
	const message = { account: principal.ownerId, profile, body, contentType };
	const opened = await readUnlessTooMany(from, bodies.read(message, clock.now()));
	const judged = cardsOf(from, opened);
	const accepted = judged.filter(isAccepted);
	const { maxTokens = accepted.length } = wishes;
	if (accepted.length > maxTokens) {
		throw badInput('body', `more than ${maxTokens} cards; a profile with inPlace: token takes more`);
	}
	const refused = judged.length - accepted.length;
	const stored = { ...from.message, details: { ...from.message.details, refused } };
	const tokens: Token[] = [];
	for (let at = 0; at < accepted.length; at += STORED_TOGETHER) {
		const some = accepted.slice(at, at + STORED_TOGETHER);
		tokens.push(...(await Promise.all(some.map(({ card }) => store(vault, principal, card, wishes, stored)))));
	}
	return {
		body: opened.hidden(tokens),
		tokens,
		errors: judged.map(({ error }) => error),
		warnings: judged.map(({ warning }) => warning),
		numbers: accepted.map(({ card }) => card.digits),
	};
}

type Accepted = JudgedCard & { readonly card: FoundCard };

const isAccepted = (judged: JudgedCard): judged is Accepted => judged.card !== undefined;

/**
 * At most this many cards are sealed before other requests get a turn. Sealing one card takes no noticeable time, but
 * sealing all cards of a large message does.
 */
const STORED_TOGETHER = 100;

async function store(
	vault: Vault,
	principal: Principal,
	{ digits, cvv, ...card }: FoundCard,
	{ reference, merchantId, keepsCvv, eliminatesDuplicates }: StoreWishes,
	message: StoredMessage,
): Promise<Token> {
	const beside = { reference, merchantId, cvv: keepsCvv && cvv !== undefined ? new Cvv(cvv) : undefined };
	const number = new CardNumber(digits);
	const request = { ...storedBy(principal), card: { ...card, number }, eliminatesDuplicates, message, ...beside };
	const { token } = await vault.store(request);
	return token;
}

function cardsOf({ refusal, profile }: Sender, { cards }: ReadBody): readonly JudgedCard[] {
	if (cards.kind === 'read') return cards.cards;
	if (!cards.looksLikeCards) return [];
	const problem = `cannot be read as ${profile.body} and looks as if it held card numbers`;
	const cause = new Error(cards.why);
	throw new ServiceError(refusal, {
		field: 'body',
		problem,
		cause,
		isOutcomeUnknown: refusal === 'target-unreachable',
	});
}

/**
 * Waits until a body is read. If an answer of a third party cannot be read, the error is never a 503: the third
 * party was already called, so the caller must not repeat the call.
 */
async function readUnlessTooMany({ refusal }: Sender, reading: Promise<ReadBody>): Promise<ReadBody> {
	try {
		return await reading;
	} catch (error) {
		if (!(error instanceof ServiceError) || refusal !== 'target-unreachable') throw error;
		throw unreadableAnswer(error);
	}
}

export function unreadableAnswer(cause: ServiceError): ServiceError {
	const said = cause.reason === 'too-many-calls' ? { moreInfo: 'too many large answers at one time' } : cause.said;
	return new ServiceError('target-unreachable', { ...said, cause, isOutcomeUnknown: true });
}
