// Reads and writes runs as JSON, whose shape docs/performance.md describes.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const figureShape = z.strictObject({
	name: z.string(),
	value: z.number(),
	unit: z.string(),
	larger: z.enum(['better', 'worse', 'neither']),
	must: z.number().optional(),
	aim: z.number().optional(),
	runs: z.array(z.number()).min(1),
});

const rowShape = z.strictObject({
	what: z.string(),
	result: z.string(),
	target: z.string(),
	figures: z.array(figureShape),
});

const groupShape = z.strictObject({
	name: z.string(),
	seconds: z.number(),
	/** The reason why the group failed, undefined if it did not. */
	error: z.string().optional(),
	rows: z.array(rowShape),
});

const runShape = z.strictObject({
	version: z.literal(1),
	machine: z.strictObject({
		cores: z.number(),
		processor: z.string(),
		memoryBytes: z.number(),
		kernel: z.string(),
		node: z.string(),
	}),
	/** When the run began, by the clock of the machine. */
	startedAt: z.string(),
	/** The commit that was checked out, null if there is no git. */
	commit: z.string().nullable(),
	/** Whether files differed from that commit. */
	isChanged: z.boolean(),
	/** The amounts that the environment made smaller or larger. */
	amounts: z.record(z.string(), z.string()),
	groups: z.array(groupShape),
});

export type BenchRun = z.infer<typeof runShape>;
export type BenchGroupRun = z.infer<typeof groupShape>;
export type RunFigure = z.infer<typeof figureShape>;

/** This error is thrown when a file is no run. */
export class RunFileError extends Error {
	override readonly name = 'RunFileError';
}

/** Reads a run from a file. @throws RunFileError if the file is not there or holds something else */
export function readRun(path: string): BenchRun {
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(path, 'utf8'));
	} catch (error) {
		throw new RunFileError(`${path}: ${(error as Error).message}`);
	}
	const { data, error } = runShape.safeParse(value);
	if (data === undefined) throw new RunFileError(`${path} is no run of the benchmark: ${z.prettifyError(error)}`);
	return data;
}

/** Writes a run as a whole or not at all, so that a run that is cut off keeps the groups that were written before. */
export function writeRun(path: string, run: BenchRun): void {
	writeFileSync(`${path}.new`, `${JSON.stringify(run, null, '\t')}\n`);
	renameSync(`${path}.new`, path);
}

/** Returns every figure by its name. */
export function figuresOf(run: BenchRun): Map<string, RunFigure> {
	const all = run.groups.flatMap(({ rows }) => rows.flatMap(({ figures }) => figures));
	return new Map(all.map((each) => [each.name, each]));
}
