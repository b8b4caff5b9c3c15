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
