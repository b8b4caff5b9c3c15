// Watches the resident memory of a daemon under an even load, and draws it.

import { setTimeout as sleep } from 'node:timers/promises';
import { drawLines } from '../plot/lines.ts';
import { residentMb } from '../process-usage.ts';

export interface Sample {
	readonly minute: number;
	readonly residentMb: number;
}

/** The run is drawn with this many places at most. */
const MOST_PLACES = 60;
const LABELS = 6;

/** Samples the memory of a process for some hours, evenly. */
export async function sampleMemory(pid: number, hours: number): Promise<Sample[]> {
	const wholeMs = hours * 3_600_000;
	const everyMs = Math.max(1_000, wholeMs / 720);
	const begunAt = performance.now();
	const samples: Sample[] = [];
	while (performance.now() - begunAt < wholeMs) {
		await sleep(everyMs);
		samples.push({ minute: (performance.now() - begunAt) / 60_000, residentMb: residentMb(pid) });
	}
	return samples;
}

/** Returns the slope of the line through the samples with the least squares, in MB of 1,000,000 bytes an hour. */
export function slopeOf(samples: readonly Sample[]): number {
	const count = samples.length;
	const meanOf = (pick: (sample: Sample) => number) => samples.reduce((sum, each) => sum + pick(each), 0) / count;
	const [minute, resident] = [meanOf((each) => each.minute), meanOf((each) => each.residentMb)];
	let [above, below] = [0, 0];
	for (const each of samples) {
		above += (each.minute - minute) * (each.residentMb - resident);
		below += (each.minute - minute) ** 2;
	}
	return below === 0 ? 0 : (above / below) * 60;
}

/** Returns the slopes of the four quarters of a run, which show whether it flattens. */
export function quarterSlopes(samples: readonly Sample[]): number[] {
	const length = Math.ceil(samples.length / 4);
	return [0, 1, 2, 3].map((nth) => slopeOf(samples.slice(nth * length, (nth + 1) * length)));
}

/** Draws the samples as SVG. */
export function drawMemory(samples: readonly Sample[]): string {
	const step = Math.ceil(samples.length / MOST_PLACES);
	const drawn = samples.filter((_, nth) => nth % step === 0);
	const labelled = Math.ceil(drawn.length / LABELS);
	return drawLines({
		title: 'Resident memory of a daemon under an even load',
		description: 'One line: the resident memory over the minutes of the run.',
		...{ unit: 'MB', across: 'minutes', isLinear: true },
		places: drawn.map(({ minute }, nth) => ({
			at: minute,
			label: nth % labelled === 0 ? minute.toFixed(minute < 10 ? 1 : 0) : '',
		})),
		series: [{ name: 'resident', values: drawn.map((each) => each.residentMb) }],
	});
}
