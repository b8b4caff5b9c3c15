// Cards out of a body that a third party sent: tokenization on response, on request of a third party, and universal
// tokenization (spec §4.1) share it.

import { CardNumber } from '../card/card-number.ts';
import { Cvv } from '../card/cvv-code.ts';
import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import { type Principal, storedBy } from '../identity/principal.ts';
import type { StoredMessage } from '../vault/new-card.ts';
import type { Token } from '../vault/token.ts';
import type { ReadBody } from './bodies/bodies.ts';
import type { FoundCard, JudgedCard } from './bodies/read-cards.ts';
import type { Replacement } from './bodies/swap-cards.ts';
import type { ReadyProfile } from './profiles.ts';
import type { RelayRooms } from './rooms.ts';

/** What a call says of the cards it brings (shapes §3, §4). */
export interface StoreWishes {
	readonly reference?: string;
	readonly merchantId?: AccountId;
	/** False: checked and dropped. The caller has made sure that the account may keep one. */
	readonly keepsCvv: boolean;
	readonly eliminatesDuplicates?: boolean;
	/** A message with more is refused before a card is stored. */
	readonly maxTokens?: number;
}

export interface TokenizedBody {
	readonly body: Buffer;
	/** Of tokenized cards only, in message order (shapes §11). */
	readonly tokens: readonly Token[];
	/** One text per card in message order, empty where there is nothing to say (spec §4.1). */
	readonly errors: readonly string[];
	readonly warnings: readonly string[];
	/** What tokens stand for now, in clear: to be found wherever else the message repeats it. */
	readonly numbers: readonly string[];
}

/** Whose message it is, and what it says it is. */
export interface Sender {
	readonly principal: Principal;
	readonly profile: ReadyProfile;
	readonly contentType?: string;
	/** What is answered where the message may hold cards that cannot be found in it. */
	readonly refusal: 'target-unreachable' | 'bad-input-data';
	/** How the trail calls a message with cards; one without is the caller's to record. */
	readonly message: StoredMessage;
}

/**
 * Tokenizes what the profile's selectors find. A card that cannot be tokenized passes unchanged; what is masked or a
 * token already is no card, and a CVV that belongs to no refused card becomes stars. A body in another format than the profile's holds no card that could be found: it passes
 * when nothing in it looks like one.
 * The body that was given is used up.
 * @throws ServiceError the sender's refusal for one that does, `bad-input-data` for more cards than are wished for,
 * `too-many-calls` where too many large bodies are being read and the sender was not answered yet
 */
export async function tokenizeBody(
	{ vault, clock, bodies }: Pick<RelayRooms, 'vault' | 'clock' | 'bodies'>,
	from: Sender,
	body: Buffer,
	wishes: StoreWishes,
): Promise<TokenizedBody> {
	const { principal, profile, contentType } = from;
	if (body.length === 0) return { body, tokens: [], errors: [], warnings: [], numbers: [] };
	const message = { account: principal.ownerId, profile, body, contentType };
	const opened = await unlessTooMany(from, bodies.read(message, clock.now()));
	const judged = cardsOf(from, opened);
	const accepted = judged.filter(isAccepted);
	const { maxTokens = accepted.length } = wishes;
	if (accepted.length > maxTokens) {
		const problem = `more than ${maxTokens} cards; a profile with inPlace: token takes more`;
		throw new ServiceError('bad-input-data', { field: 'body', problem });
	}
	const refused = judged.length - accepted.length;
	const stored = { ...from.message, details: { ...from.message.details, refused } };
	const tokens: Token[] = [];
	for (let at = 0; at < accepted.length; at += STORED_TOGETHER) {
		const some = accepted.slice(at, at + STORED_TOGETHER);
		tokens.push(...(await Promise.all(some.map(({ card }) => store({ vault }, principal, card, wishes, stored)))));
	}
	const replacements = accepted.map(({ nth, card }, i): Replacement => {
		return [nth, profile.inPlace === 'token' ? tokens[i] : new CardNumber(card.digits).masked()];
	});
	return {
		body: await unlessTooMany(from, opened.swap(replacements)),
		tokens,
		errors: judged.map(({ error }) => error),
		warnings: judged.map(({ warning }) => warning),
		numbers: accepted.map(({ card }) => card.digits),
	};
}

type Accepted = JudgedCard & { readonly card: FoundCard };

const isAccepted = (judged: JudgedCard): judged is Accepted => judged.card !== undefined;

/** Sealing one card takes no time that anybody notices, sealing all of a large message does. */
const STORED_TOGETHER = 100;

async function store(
	{ vault }: Pick<RelayRooms, 'vault'>,
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

/** Once a third party was called the call is not to be made again, so that its answer that cannot be read is no 503. */
async function unlessTooMany<Result>({ refusal }: Sender, reading: Promise<Result>): Promise<Result> {
	try {
		return await reading;
	} catch (error) {
		if (!(error instanceof ServiceError) || refusal !== 'target-unreachable') throw error;
		throw unreadableAnswer(error);
	}
}

/** What is said of an answer that was given and cannot be looked through. */
export function unreadableAnswer(cause: ServiceError): ServiceError {
	const said = cause.reason === 'too-many-calls' ? { moreInfo: 'too many large answers at one time' } : cause.said;
	return new ServiceError('target-unreachable', { ...said, cause, isOutcomeUnknown: true });
}
