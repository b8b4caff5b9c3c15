// Sends load from processes of their own, beside the one that measures, and makes rows of what it found.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FigureNotes, figure } from './figures.ts';
import type { FormLoad } from './form-load.ts';
import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import type { RelayLoad, RelayLoadResult } from './relay-load.ts';
import type { BenchRow } from './table.ts';

async function run<Result>(script: string, task: object): Promise<Result> {
	const file = fileURLToPath(new URL(script, import.meta.url));
	return JSON.parse((await promisify(execFile)(process.execPath, [file, JSON.stringify(task)])).stdout);
}

export const formLoad = (task: FormLoad) => run<HttpLoadResult>('./form-load.ts', task);
export const httpLoad = (task: HttpLoad) => run<HttpLoadResult>('./http-load.ts', task);
export const relayLoad = (task: RelayLoad) => run<RelayLoadResult>('./relay-load.ts', task);

/**
 * The goals for requests a second, and for the time within which 99 of 100 are answered: what must be reached, and what is
 * aimed at.
 */
export interface LoadGoal {
	readonly target: string;
	readonly rate?: FigureNotes;
	readonly p99?: FigureNotes;
	readonly failures?: FigureNotes;
}

type LoadResult = Pick<HttpLoadResult, 'requestsPerSecond' | 'p99Ms' | 'failures'>;

export function loadRow(what: string, name: string, results: readonly LoadResult[], goal: LoadGoal): BenchRow {
	const of = (key: keyof LoadResult) => results.map((result) => result[key]);
	const figures = [
		figure(`${name}/requests`, 'requests/s', of('requestsPerSecond'), goal.rate),
		figure(`${name}/p99`, 'ms', of('p99Ms'), goal.p99),
		figure(`${name}/failures`, 'count', of('failures'), { ...goal.failures, must: 0 }),
	];
	const [rate, p99, failures] = figures.map(({ value }) => value);
	const result = `${Math.round(rate)} requests/s, p99 ${p99} ms${failures > 0 ? `, ${failures} FAILED` : ''}`;
	return { what, result, target: goal.target, figures };
}
