// Decides what a group gives: the rules are those of the files of providers, whether a provider says at the sign-in in which
// groups somebody is, or the directory of an account has said it before.

import type { AccountRole, PortalRole } from '../rights.ts';
import type { GroupRule } from './declared-provider.ts';

/** Returns the first rule for one of these groups; only those of an account count if one is given. */
export function ruleFor(
	rules: readonly GroupRule[],
	groups: readonly string[],
	account?: string,
): GroupRule | undefined {
	return rules.find((rule) => groups.includes(rule.group) && (account === undefined || rule.account === account));
}

/**
 * Returns the role that somebody gets whom the rules last gave the role `given`, and to whom they give `ruled` now;
 * undefined if nothing changes. Somebody who has another role than the rules gave has got it from people, and keeps it.
 */
export function roleAfter(of: {
	readonly before: PortalRole;
	readonly given: AccountRole;
	readonly ruled: AccountRole;
}): AccountRole | undefined {
	return of.before === of.given && of.ruled !== of.before ? of.ruled : undefined;
}
