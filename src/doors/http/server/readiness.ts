// Finds out whether everything that a daemon needs is reachable.

import { inTime } from '../../../base/threads/in-time.ts';

/**
 * A named check of one part that the daemon needs. It throws if the part cannot be reached. A text it returns is a
 * warning, which does not make the daemon unready. `tell` takes what else is to be shown of the part, whether or not the
 * check passes.
 */
export type ReadinessCheck = readonly [name: string, check: (tell: (detail: string) => void) => Promise<unknown>];

export interface ReadinessResult {
	readonly name: string;
	readonly isPassing: boolean;
	readonly warning?: string;
	readonly detail?: string;
}

const CHECK_TIMEOUT_MS = 2_000;

/** Runs all checks at once. One that takes too long has failed. */
export function readinessOf(checks: readonly ReadinessCheck[]): Promise<ReadinessResult[]> {
	return Promise.all(checks.map(async ([name, check]) => ({ name, ...(await resultOf(check)) })));
}

/**
 * Combines what several processes found: a part is reachable if it is for all of them, and of several warnings about it the
 * first is shown. What else is to be shown of it is shown of each of them.
 */
export function combined(results: readonly (readonly ReadinessResult[])[]): ReadinessResult[] {
	const byName = Map.groupBy(results.flat(), ({ name }) => name);
	return [...byName].map(([name, found]) => ({
		name,
		isPassing: found.every(({ isPassing }) => isPassing),
		warning: found.find(({ warning }) => warning !== undefined)?.warning,
		detail: [...new Set(found.flatMap(({ detail }) => detail ?? []))].join('; ') || undefined,
	}));
}

async function resultOf(check: ReadinessCheck[1]): Promise<Omit<ReadinessResult, 'name'>> {
	let detail: string | undefined;
	const passed = async () => {
		const said = await check((text) => {
			detail = text;
		});
		return { isPassing: true, warning: typeof said === 'string' ? said : undefined };
	};
	try {
		return { ...(await inTime(passed(), CHECK_TIMEOUT_MS, { isPassing: false })), detail };
	} catch {
		return { isPassing: false, detail };
	}
}
