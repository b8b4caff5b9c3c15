const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 6;
const LEAST = 1e-9;

/** Returns a few round values in even steps, from 0 to at least `most`. */
export function ticksTo(most: number): number[] {
	// A smaller `most` would have steps that numbers cannot tell apart.
	if (!(most >= LEAST) || !Number.isFinite(most)) return [0, 1];
	const rough = most / (TICKS - 1);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = STEPS.map((each) => each * power).find((each) => each >= rough) ?? 10 * power;
	// Each value is a multiple of the step rather than a sum of steps, because a sum would have errors of rounding.
	const count = Math.ceil(most / step - 1e-9);
	return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}

/** Returns a function that says where a value lies between the places `from`, which stands for 0, and `to`, for `most`. */
export function linear(most: number, from: number, to: number): (value: number) => number {
	return (value) => from + (value / most) * (to - from);
}

/** Returns a function that says where a value above 0 lies between two places on a logarithmic axis. */
export function logarithmic(values: readonly number[], from: number, to: number): (value: number) => number {
	const [least, most] = [Math.min(...values), Math.max(...values)].map(Math.log);
	const span = most - least;
	return (value) => (span === 0 ? (from + to) / 2 : from + ((Math.log(value) - least) / span) * (to - from));
}
