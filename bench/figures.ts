// Defines figures, which are what a benchmark measured as numbers. They are written as JSON, compared and drawn.

/** What a larger value means to those who run the vault. */
export type Larger = 'better' | 'worse' | 'neither';

/** Units of figures, and what a larger value means unless the figure says otherwise. */
const UNITS = {
	'MB/s': 'better',
	'cards/s': 'better',
	'requests/s': 'better',
	'jobs/s': 'better',
	'events/s': 'better',
	times: 'better',
	s: 'worse',
	ms: 'worse',
	µs: 'worse',
	MB: 'worse',
	bytes: 'worse',
	'%': 'worse',
	count: 'worse',
} as const satisfies Record<string, Larger>;
export type Unit = keyof typeof UNITS;

export interface Figure {
	/** The name, unique within a run: the group, what was measured, and of what, for example `files/GBT/tokenize/cards`. */
	readonly name: string;
	/** The median of the runs. */
	readonly value: number;
	readonly unit: Unit;
	readonly larger: Larger;
	/** The value that must be reached. */
	readonly must?: number;
	/** The value that is aimed at. */
	readonly aim?: number;
	/** The values of all runs, in their order. */
	readonly runs: readonly number[];
}

export interface FigureNotes {
	readonly larger?: Larger;
	readonly must?: number;
	readonly aim?: number;
}

/** Returns the middle value, or the mean of the middle two if their count is even. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Makes a figure from one run or several. @throws Error if a run gave no number */
export function figure(
	name: string,
	unit: Unit,
	measured: number | readonly number[],
	notes: FigureNotes = {},
): Figure {
	const runs = typeof measured === 'number' ? [measured] : [...measured];
	if (runs.length === 0 || !runs.every(Number.isFinite)) throw new Error(`${name}: a run gave no number`);
	return { name, value: median(runs), unit, larger: UNITS[unit], ...notes, runs };
}
