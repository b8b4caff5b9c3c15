// Values of query parameters that a schema cannot judge.

import type { Cvv } from '../../card/cvv-code.ts';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import { requirePermission } from '../../identity/permissions.ts';
import type { Principal } from '../../identity/principal.ts';

/**
 * Whether the token a card already has is to be given back.
 * @throws ServiceError when the credential may not ask for it: the answer tells whether a number is known
 */
export function findElimination(principal: Pick<Principal, 'permissions'>, text: string | undefined): boolean {
	const isAskedFor = findFlag('eliminateCardDuplication', text) ?? false;
	if (isAskedFor) requirePermission(principal, 'EliminateDuplicates');
	return isAskedFor;
}

/** Longest reference the vault keeps. */
export const MAX_REFERENCE_CHARACTERS = 255;

/** `true` or `false` in any case; undefined when absent or empty. @throws ServiceError */
export function findFlag(name: string, text: string | undefined): boolean | undefined {
	const value = text?.toLowerCase();
	if (value === undefined || value === '') return undefined;
	if (value === 'true' || value === 'false') return value === 'true';
	throw new ServiceError('bad-input-data', { field: name, problem: 'expected true or false' });
}

/**
 * A caller-chosen reference; undefined when absent or empty. References stand in clear where tokens are searched by
 * them, so one that may be a card number is refused. @throws ServiceError
 */
export function findReferenceValue(name: string, text: string | undefined): string | undefined {
	if (text === undefined || text === '') return undefined;
	const problem =
		text.length > MAX_REFERENCE_CHARACTERS
			? `longer than ${MAX_REFERENCE_CHARACTERS} characters`
			: text.includes('\0')
				? 'may not hold a NUL character'
				: holdsCardNumber(text)
					? 'looks like a card number'
					: undefined;
	if (problem) throw new ServiceError('bad-input-data', { field: name, problem });
	return text;
}

/** A text to search for; undefined when absent or empty. What cannot be stored is not found; PostgreSQL would fail at a NUL. */
export function findSearchText(text: string | undefined): string | undefined {
	return text ? text.replaceAll('\0', '\uFFFD') : undefined;
}

/** A CVV is 3 or 4 digits, for every brand (spec §2.4). @throws ServiceError `bad-input-parameter` */
export function checkCvv(name: string, text: string): void {
	if (/^\d{3,4}$/.test(text)) return;
	throw new ServiceError('bad-input-parameter', { field: name, problem: 'expected 3 or 4 digits' });
}

/** @throws ServiceError when `saveCVV` asks an account without CVV retention to keep one (spec §7.3) */
export function checkKeepsCvv(principal: { readonly cvvRetention: boolean }): void {
	if (principal.cvvRetention) return;
	throw new ServiceError('cvv-retention-not-set-up', {
		field: 'saveCVV',
		problem: 'expected false, since the account keeps no CVV',
	});
}

/** The CVV to be kept, if the account may keep one and the call does not say otherwise (shapes §11). @throws ServiceError */
export function cvvToKeep(
	cvv: Cvv | undefined,
	principal: { readonly cvvRetention: boolean },
	saveCvv: boolean | undefined,
): Cvv | undefined {
	if (saveCvv) checkKeepsCvv(principal);
	return principal.cvvRetention && saveCvv !== false ? cvv : undefined;
}
