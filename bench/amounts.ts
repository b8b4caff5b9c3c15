// Says how much is measured. Variables of the environment change that, mostly to try a group out with a smaller run;
// docs/performance.md lists them.

/** The variables of the environment, with what each of them sets. */
export const AMOUNTS = {
	BENCH_RUNS: 'how often each is measured; 3 or 5 otherwise',
	BENCH_SECONDS:
		'how long each load lasts in `http`, `budget`, `processes`, `lanes`, `relay`, `call-log` and `pages`; 6 to 8 otherwise',
	BENCH_MAX_BYTES: 'no file is larger; those of `sizes` and `memory` that are larger are left out, others made smaller',
	BENCH_LARGE: '1: `sizes` goes up to 2 GB',
	BENCH_CARDS: 'cards of a batch in `http`, and of the vault in `vault`; 1,000,000 otherwise',
	BENCH_TOKENS: 'tokens of the account that `http` queries, and of the pages of `portal`; 10,000,000 otherwise',
	BENCH_ENTRIES: 'entries of the trail, and rows of each list, that `questions` asks; 1,000,000 otherwise',
	BENCH_EVENTS: 'events that wait in `events`; 10,000 otherwise',
	BENCH_QUEUED: 'files that `queue` queues; 10,000 otherwise',
	BENCH_HANGING: 'relays that hang at once in `relay`; 1,000 otherwise',
	BENCH_TRIES: 'numbers that `recovery` tries; 10,000,000 otherwise',
	BENCH_FILES: 'files a format in `misses`; 1,000 otherwise',
	BENCH_LINES: 'lines a format in `misses` and in all in `false-findings`; 1,000,000 otherwise',
	BENCH_SEED: 'what files `misses` makes; 1 otherwise',
} as const;
export type Amount = keyof typeof AMOUNTS;

/** Returns the amount that the environment sets, or the usual one. @throws Error if the environment sets no whole number */
export function amount(name: Amount, usual: number, env: NodeJS.ProcessEnv = process.env): number {
	const given = env[name];
	if (given === undefined || given === '') return usual;
	if (!/^\d{1,15}$/.test(given)) throw new Error(`${name} is no whole number: ${given}`);
	return Number(given);
}

/**
 * Returns the amounts that the environment sets. A run keeps them, because figures of a smaller run are not those of a
 * whole one.
 */
export function givenAmounts(env: NodeJS.ProcessEnv = process.env): Partial<Record<Amount, string>> {
	return Object.fromEntries(
		(Object.keys(AMOUNTS) as Amount[]).filter((name) => env[name]).map((name) => [name, env[name]]),
	);
}

/** Returns how often each thing is measured, which is at least once. */
export function runs(usual: number): number {
	return Math.max(1, amount('BENCH_RUNS', usual));
}

/** Returns the length that a file is given: `bytes`, or the greatest length that the environment allows if that is less. */
export function cutBytes(bytes: number): number {
	return Math.min(bytes, amount('BENCH_MAX_BYTES', bytes));
}

const UNITS = [
	['GiB', 2 ** 30],
	['GB', 1e9],
	['MiB', 2 ** 20],
	['MB', 1e6],
	['KiB', 2 ** 10],
	['KB', 1e3],
] as const;

/** Tells a number of bytes in the largest unit that leaves a whole number, for example `256 MiB` or `2 GB`. */
export function tellBytes(bytes: number): string {
	const [name, unit] = UNITS.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['bytes', 1];
	return `${(bytes / unit).toLocaleString('en')} ${name}`;
}
