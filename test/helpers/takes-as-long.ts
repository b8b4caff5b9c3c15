// Checks that refusing a credential takes about as long whatever is wrong with it (spec §5.4.1). It is a smoke test, enough
// to see a check that returns before the work: the undisturbed tries of every cause must lie within a small factor, however
// busy the machine is.

import type { ExecutionContext } from 'ava';

const ROUNDS = 60;
const WARM_UP = 10;
const FACTOR = 3;
/**
 * The position, among the sorted times of a cause, of the time that stands for it. It is so low that nothing else ran
 * meanwhile.
 */
const UNDISTURBED = ROUNDS / 10;
/**
 * This many tries are made. A check that returns early does so every time, and not every try is disturbed by a busy
 * machine.
 */
const TRIES = 4;

/** Causes of a refusal, each with an attempt that ends in it. Those of one group are compared. */
export type Causes = Readonly<Record<string, () => Promise<unknown>>>;

export async function takesAsLong(t: ExecutionContext, ...groups: Causes[]): Promise<void> {
	let found: Record<string, number>[] = [];
	for (let n = 0; n < TRIES; n++) {
		found = await timesToRefuse(groups);
		if (found.every((times) => isAlike(Object.values(times)))) {
			t.pass();
			return;
		}
	}
	t.fail(JSON.stringify(found));
}

/**
 * Returns the milliseconds of a refusal by its cause. The causes are measured in turns, so that a slow moment meets all of
 * them.
 */
async function timesToRefuse(groups: readonly Causes[]): Promise<Record<string, number>[]> {
	const all = groups.flatMap((causes) => Object.values(causes));
	const times = new Map(all.map((attempt) => [attempt, [] as number[]]));
	for (let round = -WARM_UP; round < ROUNDS; round++) {
		for (const attempt of all) {
			const start = performance.now();
			await attempt();
			if (round >= 0) times.get(attempt)!.push(performance.now() - start);
		}
	}
	const undisturbed = (attempt: () => Promise<unknown>) => times.get(attempt)!.sort((a, b) => a - b)[UNDISTURBED];
	return groups.map((causes) =>
		Object.fromEntries(Object.entries(causes).map(([cause, attempt]) => [cause, undisturbed(attempt)])),
	);
}

function isAlike(times: readonly number[]): boolean {
	return Math.max(...times) < FACTOR * Math.min(...times);
}
