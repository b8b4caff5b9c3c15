// Writes what a report says about the processing allowance of its account (shapes §11): which allowance it is, how much
// is left, and what to do. A refusal over HTTP does not use these texts; it keeps the text that is specified for it.

import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { Allowance } from '../../people/identity/accounts/allowance.ts';
import type { Usage } from '../../people/identity/accounts/allowance-store.ts';

/** A warning is given once this share of the allowance is used up. */
const WARNED_SHARE = 0.8;

/**
 * Returns a warning if little of the allowance is left after `more` further units are used; undefined if enough is left
 * or the account has no limit.
 */
export function allowanceWarning(usage: Usage | undefined, more: number): string | undefined {
	if (!usage || usage.used + more < usage.limit * WARNED_SHARE) return undefined;
	const used = usage.used + more;
	const left = Math.max(0, usage.limit - used);
	return `The processing allowance of the account (one unit a card or call) is nearly used up: ${used} of ${usage.limit} units, ${left} left. ${WHAT_TO_DO}`;
}

/**
 * Throws the given error again. If it is a refusal because of the allowance, it is thrown with advice for the reader of
 * the report.
 */
export async function explainRefusal(
	allowance: Pick<Allowance, 'findUsage'>,
	ownerId: Parameters<Allowance['findUsage']>[0],
	error: unknown,
): Promise<never> {
	if (!(error instanceof ServiceError) || error.reason !== 'allowance-exceeded') throw error;
	const usage = await allowance.findUsage(ownerId);
	const isUsedUp = usage !== undefined && usage.used >= usage.limit;
	const moreInfo = isUsedUp
		? `the processing allowance of the account (one unit a card or call) is used up: ${usage.used} of ${usage.limit} units, 0 left. ${WHAT_TO_DO}, then have this file processed again`
		: 'the account is blocked. Ask those who run this installation to unblock it (account unblock), then have this file processed again';
	const what = isUsedUp ? told('allowance-used-up', usage) : told('account-blocked');
	throw new ServiceError('allowance-exceeded', { moreInfo, told: what, cause: error });
}

const WHAT_TO_DO = 'Ask those who run this installation for a fresh one (account unblock)';
