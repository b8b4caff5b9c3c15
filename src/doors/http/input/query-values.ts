// Reads query parameters whose values a schema cannot check.

import type { Cvv } from '../../../base/card/clear-cvv.ts';
import { clearTextProblem } from '../../../base/card/read-card.ts';
import { PROBLEMS } from '../../../base/card/verdict.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { requireEffect } from '../../../people/identity/effects.ts';
import type { Principal } from '../../../people/identity/principal.ts';

/**
 * Returns whether the caller wants the existing token if the card is already stored.
 * @throws ServiceError if the credential may not request that, because the answer reveals whether a number is known
 */
export function findElimination(principal: Pick<Principal, 'permissions'>, text: string | undefined): boolean {
	const isAskedFor = findFlag('eliminateCardDuplication', text) ?? false;
	if (isAskedFor) requireEffect(principal, 'tells-known');
	return isAskedFor;
}

/**
 * Reads `true` or `false` in upper or lower case. Returns undefined if the text is absent or empty.
 * @throws ServiceError if it is anything else
 */
export function findFlag(name: string, text: string | undefined): boolean | undefined {
	const value = text?.toLowerCase();
	if (value === undefined || value === '') return undefined;
	if (value === 'true' || value === 'false') return value === 'true';
	throw badInput(name, 'expected true or false');
}

/**
 * Reads a reference that the caller chose. Returns undefined if it is absent or empty. A reference that may be a card
 * number is refused, because references are stored in clear so that tokens can be found by them.
 * @throws ServiceError
 */
export function findReferenceValue(name: string, text: string | undefined): string | undefined {
	if (text === undefined || text === '') return undefined;
	const problem = clearTextProblem(text);
	if (problem) throw badInput(name, PROBLEMS[problem]);
	return text;
}

/**
 * Reads a text to search for. Returns undefined if it is absent or empty. NUL characters, at which PostgreSQL would
 * fail, are replaced by U+FFFD; no stored text contains a NUL character, so nothing is missed.
 */
export function findSearchText(text: string | undefined): string | undefined {
	return text ? text.replaceAll('\0', '\uFFFD') : undefined;
}

/**
 * Checks that a CVV has 3 or 4 digits, for every brand (spec §2.4).
 * @throws ServiceError `bad-input-parameter`
 */
export function checkCvv(name: string, text: string): void {
	if (/^\d{3,4}$/.test(text)) return;
	throw new ServiceError('bad-input-parameter', { field: name, problem: 'expected 3 or 4 digits' });
}

/**
 * Checks that the account may keep CVVs. It is called if the caller set `saveCVV`.
 * @throws ServiceError if the account has no CVV retention (spec §7.3)
 */
export function checkKeepsCvv(principal: { readonly cvvRetention: boolean }): void {
	if (principal.cvvRetention) return;
	throw new ServiceError('cvv-retention-not-set-up', {
		field: 'saveCVV',
		problem: 'expected false, since the account keeps no CVV',
	});
}

/**
 * Returns the CVV that will be kept, or undefined. It is kept if the account may keep CVVs and the call does not forbid
 * it (shapes §11).
 * @throws ServiceError if the call asks to keep a CVV and the account may not
 */
export function cvvToKeep(
	cvv: Cvv | undefined,
	principal: { readonly cvvRetention: boolean },
	saveCvv: boolean | undefined,
): Cvv | undefined {
	if (saveCvv) checkKeepsCvv(principal);
	return principal.cvvRetention && saveCvv !== false ? cvv : undefined;
}
