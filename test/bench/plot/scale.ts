const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 6;
const LEAST = 1e-9;

/** Round values from 0 to at least `most`, a few of them, in even steps. */
export function ticksTo(most: number): number[] {
	// Smaller ones would have steps that numbers cannot tell apart.
	if (!(most >= LEAST) || !Number.isFinite(most)) return [0, 1];
	const rough = most / (TICKS - 1);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = STEPS.map((each) => each * power).find((each) => each >= rough) ?? 10 * power;
	// Even numbers of a step rather than sums of it, which would be off after the point.
	const count = Math.ceil(most / step - 1e-9);
	return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}

/** Where values lie between two places. */
export function linear(most: number, from: number, to: number): (value: number) => number {
	return (value) => from + (value / most) * (to - from);
}

/** The same in equal steps for equal ratios, for values above 0. */
export function logarithmic(values: readonly number[], from: number, to: number): (value: number) => number {
	const [least, most] = [Math.min(...values), Math.max(...values)].map(Math.log);
	const span = most - least;
	return (value) => (span === 0 ? (from + to) / 2 : from + ((Math.log(value) - least) / span) * (to - from));
}
