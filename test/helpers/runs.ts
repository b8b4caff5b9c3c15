/**
 * Returns the number of inputs that a property is tried with: all of `many` in `npm run test:long`, a tenth of them
 * otherwise. Inputs are drawn anew each time, so that runs of the suite add up.
 */
export function runs(many: number): number {
	return process.env.TOKENDROP_TEST_LONG === '1' ? many : Math.ceil(many / 10);
}

/**
 * Returns the size of a file of a scenario: `bytes` in `npm run test:long`, three tenths of them otherwise, which is still
 * enough for a test to find its job at work.
 */
export function sizeOf(bytes: number): number {
	return process.env.TOKENDROP_TEST_LONG === '1' ? bytes : Math.ceil(bytes * 0.3);
}

/**
 * Returns how often the model of the vault is tried, and from which seed: the same one every time, so that a run of the suite says
 * something about the commit and not about its luck. `MODEL_RUNS=1000` makes a longer search for rare errors, with a new seed.
 */
export function modelRuns(many: number): { readonly numRuns: number; readonly seed?: number } {
	const { MODEL_RUNS } = process.env;
	return MODEL_RUNS === undefined ? { numRuns: runs(many), seed: 20_261_121 } : { numRuns: Number(MODEL_RUNS) };
}
