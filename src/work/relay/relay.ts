// Replaces the tokens in a request by cards, makes the call, and returns the answer without cards (spec §4.1, relay).

import { CARD_TYPES } from '../../base/card/brand.ts';
import { writtenExpiry } from '../../base/card/expiry.ts';
import { badInput, ServiceError } from '../../base/errors.ts';
import { actorOf } from '../../people/identity/principal.ts';
import type { Audit } from '../../trail/audit.ts';
import type { Resolved } from '../../vault/cards/card-reader.ts';
import type { CvvDestination } from '../../vault/cvvs/cvv.ts';
import type { StoredRecord } from '../../vault/pages/record-codec.ts';
import type { Token } from '../../vault/tokens/token.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Bodies, FilledBody } from './bodies/bodies.ts';
import { codesInText } from './bodies/cards-with-code.ts';
import { findHeader, headersFor, type ReadyCall, type TargetCalls } from './call.ts';
import { maskEchoesIn } from './echo.ts';
import type { OutgoingCard } from './selectors/selectors.ts';
import type { ThirdPartyAnswer, ThirdPartyCall } from './third-party-call.ts';
import { unreadableAnswer } from './tokenize-body.ts';

export interface RelayCall extends ThirdPartyCall {
	/**
	 * The tokens, in the order of the places where their cards go. Null stands for a text that is no token; it is
	 * answered like a token that does not exist.
	 */
	readonly tokens: readonly (Token | null)[];
}

/**
 * Puts the cards of the tokens where the profile says, and passes the request on. A CVV is used only if the body has a
 * place for it; its use and the entry in the audit trail are recorded before anything is sent. By then the call has its
 * slot and the target's addresses are checked.
 * @throws ServiceError for every row of spec §7.4 that concerns relay
 */
export async function relay(
	parts: { readonly vault: Vault; readonly audit: Audit; readonly bodies: Bodies; readonly targets: TargetCalls },
	call: RelayCall,
): Promise<ThirdPartyAnswer> {
	const { profile, body, targetUri } = call;
	if (profile.direction === 'tokenize') {
		throw badInput('profileName', 'this profile only tokenizes; expected one that replaces tokens');
	}
	if (body === null || body.length === 0) throw badInput('body', 'is empty');
	const { vault, bodies, targets } = parts;
	const headers = headersFor(call);
	const contentType = findHeader(headers, 'content-type');
	// Everything that can be refused without reading the cards is refused first (shapes §11, order of checks).
	const isCardInUri = profile.cardInUri && (targetUri || profile.targetUri)?.includes('{{') === true;
	const early = isCardInUri ? undefined : targets.urlOf({ profile, targetUri });
	const found = await getCards({ vault, bodies }, call, contentType);
	const plain = found.map(({ record }) => outgoingCard(record));
	const message = messageOf(call, contentType);
	const filled = await bodies.fill(message, plain);
	try {
		const url = early ?? targets.urlOf({ profile, targetUri, cards: plain });
		const ready = await targets.prepare('relay', call, url);
		try {
			return await send(parts, call, { ready, found, plain, url, headers, filled, isCardInUri });
		} finally {
			ready.release();
		}
	} finally {
		filled.body.fill(0);
	}
}

interface ReadyRelay {
	readonly ready: ReadyCall;
	readonly found: readonly Resolved[];
	readonly plain: readonly OutgoingCard[];
	readonly url: URL;
	readonly headers: readonly string[];
	readonly filled: FilledBody;
	readonly isCardInUri: boolean;
}

/** Does all that cannot be undone: it counts the uses of CVVs, writes the entries of the trail, and makes the call. */
async function send(
	parts: { readonly vault: Vault; readonly audit: Audit; readonly bodies: Bodies; readonly targets: TargetCalls },
	call: RelayCall,
	relay: ReadyRelay,
): Promise<ThirdPartyAnswer> {
	const { vault, audit, bodies, targets } = parts;
	const { profile, targetUri } = call;
	const { ready, found, plain, headers, isCardInUri } = relay;
	const mayHaveCvv = call.principal.cvvRetention || found.some(({ isOwner }) => !isOwner);
	const places = mayHaveCvv ? placesForCvv(call, relay.filled) : [];
	const cards = places.includes(true) ? await withSecurityCodes(vault, call, { ...relay, places }) : plain;
	const isWithCvv = cards !== plain;
	const body = isWithCvv ? relay.filled.withCodes(cards.map(({ securityCode }) => securityCode)) : relay.filled.body;
	try {
		const url = isWithCvv && isCardInUri ? targets.urlOf({ profile, targetUri, cards }) : relay.url;
		await recordRelay(audit, call, { ...relay, url, cards });
		return await withoutEchoes(bodies, call, await ready.send({ url, headers, body }), cards);
	} finally {
		body.fill(0);
	}
}

/**
 * A stand-in for a card. If one of the tokens leads to no card, the message is filled with stand-ins only to find out
 * whether it also has faults of its own.
 */
const NO_CARD: OutgoingCard = { number: '' };

/** Gets the cards in the order of their tokens. Faults of the message come before those of a token (shapes §11). */
async function getCards(
	{ vault, bodies }: { readonly vault: Vault; readonly bodies: Bodies },
	call: RelayCall,
	contentType: string | undefined,
): Promise<Resolved[]> {
	const { tokens } = call;
	try {
		return await Promise.all(tokens.map((token) => getCard(vault, call, token)));
	} catch (error) {
		const blanks = tokens.map(() => NO_CARD);
		await bodies.fill(messageOf(call, contentType), blanks);
		throw error;
	}
}

async function getCard(vault: Vault, { principal }: RelayCall, token: Token | null): Promise<Resolved> {
	const found = token && (await vault.find(principal.ownerId, token));
	if (!found) throw new ServiceError('token-not-accessible');
	if (found.record.kind === 'data-block') {
		throw new ServiceError('uri-not-found', { moreInfo: 'the token holds another kind of record' });
	}
	return found;
}

/**
 * Tells for each token whether the message has a place for the CVV of its card. This costs little if the profile never
 * asks for a CVV.
 */
function placesForCvv({ profile, targetUri, tokens }: RelayCall, { codes }: FilledBody): boolean[] {
	const address = profile.cardInUri ? targetUri || profile.targetUri : undefined;
	const asked = new Set([...codesInText(address ?? ''), ...codes]);
	return tokens.map((_, nth) => asked.has(nth + 1));
}

const messageOf = ({ principal, profile, body }: RelayCall, contentType: string | undefined) => ({
	account: principal.ownerId,
	profile,
	contentType,
	body: body!,
});

/** Adds to the cards the CVVs that their policies allow; returns the same list if no CVV may be used. */
async function withSecurityCodes(
	vault: Vault,
	{ principal }: RelayCall,
	asked: { found: readonly Resolved[]; plain: readonly OutgoingCard[]; places: readonly boolean[]; url: URL },
): Promise<readonly OutgoingCard[]> {
	const { found, plain, places, url } = asked;
	let cards: OutgoingCard[] | undefined;
	for (const [nth, place] of found.entries()) {
		const cvv = places[nth] && (await vault.cvvs.use(place, ...destinationsOf(place, principal, url)));
		if (!cvv) continue;
		cards ??= [...plain];
		cards[nth] = { ...plain[nth], securityCode: cvv.digits.toString('latin1') };
		cvv.wipe();
	}
	return cards ?? plain;
}

/**
 * Lists the entries of a CVV policy that would allow this call to use the CVV: one for the host that it goes to, and
 * one for the user who makes it (shapes §3).
 */
function destinationsOf(
	{ isOwner }: Resolved,
	{ accountId, ownerId, userId }: RelayCall['principal'],
	url: URL,
): CvvDestination[] {
	const who: CvvDestination['type'] = !isOwner ? 'OtherMerchant' : accountId === ownerId ? 'Owner' : 'OtherUser';
	return [
		{ type: 'HostName', data: url.hostname },
		{ type: who, data: userId },
	];
}

async function recordRelay(
	audit: Audit,
	{ principal, profile, tokens, requestId }: RelayCall,
	{ url, cards, found }: Pick<ReadyRelay, 'url' | 'found'> & { readonly cards: readonly OutgoingCard[] },
): Promise<void> {
	const about = { requestId, profile: profile.name, host: url.host };
	await Promise.all(
		tokens.map((token, nth) =>
			audit.record({
				actor: actorOf(principal),
				action: 'card.relay',
				subject: `token ${token}`,
				account: found[nth].page.account_id,
				page: found[nth].trailPage,
				details: cards[nth].securityCode === undefined ? about : { ...about, withCvv: true },
			}),
		),
	);
}

async function withoutEchoes(
	bodies: Bodies,
	{ principal }: RelayCall,
	{ status, headers, body }: ThirdPartyAnswer,
	cards: readonly OutgoingCard[],
): Promise<ThirdPartyAnswer> {
	const numbers = cards.map(({ number }) => number);
	const contentType = headers.find(([name]) => name === 'content-type')?.[1];
	try {
		const echoing = { account: principal.ownerId, body, contentType };
		return {
			status,
			headers: headers.map(([name, value]) => [name, maskEchoesIn(value, numbers)]),
			body: await bodies.withoutEchoes(echoing, numbers),
		};
	} catch (error) {
		throw error instanceof ServiceError ? unreadableAnswer(error) : error;
	}
}

/** A card as third parties get it: the number in digits, month and year apart, and the type by its name. */
function outgoingCard({ digits, expiry, name, type }: StoredRecord): OutgoingCard {
	return {
		number: digits.toString('latin1'),
		...(expiry > 0 && writtenExpiry(expiry)),
		nameOnCard: name?.toString('utf8'),
		type: type === 0 ? undefined : CARD_TYPES[type],
	};
}
