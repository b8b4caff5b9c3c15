import { type Figure, type FigureNotes, figure, median } from './figures.ts';
import type { BenchRow } from './table.ts';

/** Something that is asked several times. */
export interface Asked {
	readonly what: string;
	readonly figure: string;
	/** If the answer is a text, it is printed beside the times. */
	ask(): Promise<unknown>;
}

/** Asks for each several times, prints how long that took, and returns a row that names the slowest of them. */
export async function slowestRow(
	all: readonly Asked[],
	options: { readonly of: string; readonly runs: number; readonly goal: FigureNotes & { readonly must: number } },
): Promise<BenchRow> {
	const { of, runs, goal } = options;
	const times: { what: string; ms: number; longest: number }[] = [];
	const figures: Figure[] = [];
	for (const { what, figure: name, ask } of all) {
		const found: number[] = [];
		let answer: unknown;
		for (let run = 0; run <= runs; run++) {
			const startedAt = performance.now();
			answer = await ask();
			// The first time is not counted, because it compiles what is needed.
			if (run > 0) found.push(performance.now() - startedAt);
		}
		figures.push(figure(name, 'ms', found, goal));
		const [ms, longest] = [median(found), Math.max(...found)];
		times.push({ what, ms, longest });
		process.stdout.write(
			`${of}: ${what}: ${ms.toFixed(1)} ms, at most ${longest.toFixed(1)} ms${typeof answer === 'string' ? ` (${answer})` : ''}\n`,
		);
	}
	const slowest = times.reduce((one, other) => (other.ms > one.ms ? other : one));
	return {
		what: `slowest of ${times.length} ${of}`,
		result: `${slowest.ms.toFixed(1)} ms (${slowest.what}), at most ${slowest.longest.toFixed(1)} ms`,
		target: `${goal.must} ms${goal.aim === undefined ? '' : ` (${goal.aim})`}`,
		figures,
	};
}
