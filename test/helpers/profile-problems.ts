// Parses profiles as people write them, and returns the problems of those that cannot be used.

import type { ExecutionContext } from 'ava';
import { type ParseOptions, parseProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { ProfileError } from '../../src/work/relay/profiles/profile-problems.ts';

export const SANDBOX: ParseOptions = { environment: 'sandbox' };
export const PRODUCTION: ParseOptions = { environment: 'production' };

export const JSON_CARD = { number: '$.number' };
export const MINIMAL = { name: 'Minimal', direction: 'tokenize', body: 'json', cards: [JSON_CARD] };

/** Returns every problem of a profile, each with its pointer. */
export function problemsOf(t: ExecutionContext, text: string, options = SANDBOX): readonly string[] {
	const error = t.throws(() => parseProfile(text, options), { instanceOf: ProfileError });
	for (const { rule } of error.problems) t.true(error.message.includes(rule));
	return error.problems.map(({ pointer, rule }) => `${pointer}: ${rule}`);
}
