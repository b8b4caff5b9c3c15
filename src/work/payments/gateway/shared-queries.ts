import type { Clock } from '../../../base/clock.ts';

/** A query that a user requests serves every further request for the same attempt that comes within this time. */
const SERVES_MS = 10_000;

/**
 * Returns a function that queries the outcome of an attempt when a user requests it, unless a user has requested it a
 * moment ago: then the answer of that query is returned. Otherwise somebody who clicks again and again would send a
 * query to the gateway with each click, and gateways refuse the calls of merchants who send too many.
 */
export function sharedQueries(clock: Clock): (id: string, query: () => Promise<boolean>) => Promise<boolean> {
	const recent = new Map<string, { readonly atMs: number; readonly answer: Promise<boolean> }>();
	return (id, query) => {
		const atMs = clock.now().getTime();
		for (const [other, asked] of recent) if (atMs - asked.atMs >= SERVES_MS) recent.delete(other);
		const known = recent.get(id);
		if (known) return known.answer;
		const answer = query();
		recent.set(id, { atMs, answer });
		answer.catch(() => recent.delete(id));
		return answer;
	};
}
