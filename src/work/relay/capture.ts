// Implements tokenization on response and universal tokenization (spec §4.1): a call goes to a third party unchanged,
// and its answer comes back with tokens in place of cards.

import type { Clock } from '../../base/clock.ts';
import { badInput } from '../../base/errors.ts';
import type { Allowance } from '../../people/identity/accounts/allowance.ts';
import { actorOf } from '../../people/identity/principal.ts';
import type { Audit } from '../../trail/audit.ts';
import type { StoredMessage } from '../../vault/cards/new-card.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Bodies } from './bodies/bodies.ts';
import { headersFor, type TargetCalls } from './call.ts';
import { maskEchoesIn } from './echo.ts';
import type { ThirdPartyCall } from './third-party-call.ts';
import { type StoreWishes, tokenizeBody } from './tokenize-body.ts';

export interface CaptureCall extends ThirdPartyCall {
	readonly wishes: StoreWishes;
	/** True for a preset of the installation. Any public host is then allowed, because no card of ours is sent. */
	readonly isPreset?: boolean;
}

/** What it takes to find the cards of a message, store them, and pass the message on. */
export interface Tokenizing {
	readonly vault: Vault;
	readonly audit: Audit;
	readonly allowance: Allowance;
	readonly bodies: Bodies;
	readonly targets: TargetCalls;
	readonly clock: Clock;
}

/** @throws ServiceError for every row of spec §7.4 that concerns capture */
export async function capture(parts: Tokenizing, call: CaptureCall) {
	const { profile, principal, requestId, body, targetUri, isPreset } = call;
	checkTokenizes(call);
	const sent = headersFor(call);
	const { targets } = parts;
	const url = targets.urlOf({ profile, targetUri, isOpen: isPreset });
	const answer = await targets.call(isPreset ? 'preset' : 'capture', call, { url, headers: sent, body });
	const contentType = answer.headers.find(([name]) => name === 'content-type')?.[1];
	const message = {
		action: 'card.capture',
		subject: `profile ${profile.name}`,
		details: { requestId, host: url.host },
	} as const;
	const from = { principal, profile, contentType, refusal: 'target-unreachable', message } as const;
	const { body: swapped, numbers, ...found } = await tokenizeBody(parts, from, answer.body, call.wishes);
	await countCards(parts.allowance, call, found.tokens.length);
	await recordMessageWithout(parts.audit, call, message, found);
	// If a thread has read the body, the buffer was handed over to the thread and is empty now.
	if (swapped !== answer.body && answer.body.length > 0) answer.body.fill(0);
	// Only this service may send the header that lists the tokens. If the third party sent a header of the same name, it
	// is removed.
	const tokenHeader = profile.tokenHeader.toLowerCase();
	const passed = answer.headers.filter(([name]) => name !== tokenHeader);
	const headers = passed.map(([name, value]) => [name, maskEchoesIn(value, numbers)] as const);
	return { status: answer.status, headers, body: swapped, found };
}

/** @throws ServiceError for a profile that only replaces tokens */
export function checkTokenizes({ profile }: Pick<ThirdPartyCall, 'profile'>): void {
	if (profile.direction !== 'replace') return;
	throw badInput('profileName', 'this profile only replaces tokens; expected one that tokenizes');
}

/**
 * Charges the caller's allowance for the cards of a message. One unit was already charged for the call itself; a
 * message with several cards costs one unit for each (shapes §11).
 */
export async function countCards(
	allowance: Allowance,
	{ principal }: Pick<ThirdPartyCall, 'principal'>,
	cards: number,
): Promise<void> {
	if (cards > 1) await allowance.count(principal, cards - 1);
}

/** Records a message without cards in the trail. A message with cards was recorded when they were stored. */
export async function recordMessageWithout(
	audit: Audit,
	{ principal }: Pick<ThirdPartyCall, 'principal'>,
	{ action, subject, details }: StoredMessage,
	found: { readonly tokens: readonly unknown[]; readonly errors: readonly string[] },
): Promise<void> {
	if (found.tokens.length > 0) return;
	const refused = found.errors.length;
	await audit.record({ actor: actorOf(principal), action, subject, details: { ...details, cards: 0, refused } });
}
