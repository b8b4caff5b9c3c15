/**
 * How many inputs a property is tried with: all of `many` in `npm run test:long`, a fifth of them otherwise. Inputs are drawn
 * anew each time, so that runs of the suite add up.
 */
export function runs(many: number): number {
	return process.env.TOKENDROP_TEST_LONG === '1' ? many : Math.ceil(many / 5);
}
