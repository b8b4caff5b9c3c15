// How much is measured. Each variable makes a run smaller, to try a group out; docs/performance.md lists them.

/** Variables of the environment, with what they say. */
export const AMOUNTS = {
	BENCH_RUNS: 'how often each is measured; 3 or 5 otherwise',
	BENCH_SECONDS: 'how long each load lasts in `http`, `relay`, `call-log` and `pages`; 6 to 8 otherwise',
	BENCH_MAX_BYTES: 'no file is larger; those of `sizes` and `memory` that are larger are left out, others made smaller',
	BENCH_LARGE: '1: `sizes` goes up to 2 GB',
	BENCH_CARDS: 'cards of a batch in `http`; 1,000,000 otherwise',
	BENCH_TOKENS: 'tokens of the account that `http` queries, and of the pages of `portal`; 10,000,000 otherwise',
	BENCH_QUEUED: 'files that `queue` queues; 10,000 otherwise',
	BENCH_HANGING: 'relays that hang at once in `relay`; 1,000 otherwise',
	BENCH_TRIES: 'numbers that `recovery` tries; 10,000,000 otherwise',
	BENCH_FILES: 'files a format in `misses`; 1,000 otherwise',
	BENCH_LINES: 'lines a format in `misses` and in all in `false-findings`; 1,000,000 otherwise',
	BENCH_SEED: 'what files `misses` makes; 1 otherwise',
} as const;
export type Amount = keyof typeof AMOUNTS;

/** What the environment says, or the usual amount. @throws Error where it says no whole number */
export function amount(name: Amount, usual: number, env: NodeJS.ProcessEnv = process.env): number {
	const given = env[name];
	if (given === undefined || given === '') return usual;
	if (!/^\d{1,15}$/.test(given)) throw new Error(`${name} is no whole number: ${given}`);
	return Number(given);
}

/** Those that the environment sets, as a run tells them: figures of a smaller run are not those of a whole one. */
export function givenAmounts(env: NodeJS.ProcessEnv = process.env): Partial<Record<Amount, string>> {
	return Object.fromEntries(
		(Object.keys(AMOUNTS) as Amount[]).filter((name) => env[name]).map((name) => [name, env[name]]),
	);
}

/** How often each is measured, at least once. */
export function runs(usual: number): number {
	return Math.max(1, amount('BENCH_RUNS', usual));
}

/** The length of a file, cut where the environment wants none so large. */
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

/** `256 MiB`, `2 GB`: in the largest unit that leaves a whole number. */
export function tellBytes(bytes: number): string {
	const [name, unit] = UNITS.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['bytes', 1];
	return `${(bytes / unit).toLocaleString('en')} ${name}`;
}
