// Checks what must hold of an installation at rest, no matter what has happened to it before.

import type { ExecutionContext } from 'ava';
import { AREAS, nameWith } from '../../src/work/drops/drop-names.ts';
import type { DropFile } from '../../src/work/drops/drop-store.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { listNewestJobs } from '../../src/work/jobs/job-page-store.ts';
import { checkDrops } from '../../src/work/jobs/queue/recovery.ts';
import type { OpenedParts } from './daemon.ts';
import type { FixtureCase } from './fixture-cases.ts';
import { until } from './until.ts';

/** Waits until no job is queued or running, and returns all jobs, oldest first. */
export function settledJobs({ database }: OpenedParts, withinMs?: number): Promise<JobRow[]> {
	return until(
		'every job has ended',
		async () => {
			const jobs = await listNewestJobs(database, { limit: 10_000 });
			return jobs.every(({ state }) => state === 'done' || state === 'failed') && jobs.reverse();
		},
		{ withinMs, everyMs: 50 },
	);
}

/**
 * Checks that nothing is lost, incomplete or left over. Every job that ended has a report, and every name has its
 * latest one. Every job that is done has an output, and that of the last upload has the name itself. Each job that is
 * done has an entry in the audit trail. Inputs are left only of failed jobs, and no page is left of an attempt that
 * does not count. Every row has a blob and, once orphans are removed, every blob has a row.
 */
export async function checkAtRest(t: ExecutionContext, parts: OpenedParts): Promise<{ orphansRemoved: number }> {
	const { knex } = parts.database;
	const jobs = await settledJobs(parts);
	const files: DropFile[] = await knex('drop_files').orderBy('id');
	const reports = files.filter(({ area }) => area === 'reports').map(({ filter, name }) => `${filter}/${name}`);
	const own = jobs.map(({ filter, name, id }) => `${filter}/${name}.${id}.json`);
	const latest = new Set(jobs.map(({ filter, name }) => `${filter}/${name}.json`));
	t.deepEqual(reports.toSorted(), [...own, ...latest].toSorted(), 'one report a job, and the latest of each name');
	for (const [input, output] of [AREAS.slice(0, 2), AREAS.slice(2, 4)]) {
		const accepted = jobs.filter(({ operation }) => operation === input);
		const isLast = ({ id, filter, name }: JobRow) =>
			accepted.findLast((other) => other.filter === filter && other.name === name)?.id === id;
		const expected = accepted
			.filter(({ state }) => state === 'done')
			.map((job) => `${job.filter}/${isLast(job) ? job.name : nameWith(job.name, job.id)}`);
		const outputs = files.filter(({ area }) => area === output).map(({ filter, name }) => `${filter}/${name}`);
		t.deepEqual(outputs.toSorted(), expected.toSorted(), `one output a file in ${output}`);
	}
	const inputs = files.filter(({ area }) => area === 'tokenize' || area === 'detokenize');
	const failed = jobs.filter(({ state }) => state === 'failed');
	t.deepEqual(
		inputs.map(({ id, state }) => [id, state]),
		failed.map(({ input_id }) => [input_id, 'failed']).toSorted(([one], [other]) => Number(one) - Number(other)),
		'inputs of failed jobs alone are kept',
	);
	const done = jobs.filter(({ state }) => state === 'done').map(({ id }) => id);
	const trail: string[] = await knex('audit').whereIn('action', ['file.tokenize', 'file.detokenize']).pluck('subject');
	t.deepEqual(trail.toSorted(), done.map((id) => `job ${id}`).toSorted(), 'one entry of the trail a job');
	// Cards of one file may share a slot, so there may be fewer stored cards than the job counted, but never more.
	const stored: { written_by: string; cards: number | string }[] = await knex('pages')
		.whereNotNull('written_by')
		.groupBy('written_by')
		.select('written_by', knex.raw('sum(count) as cards'));
	for (const { written_by, cards } of stored) {
		const job = jobs.find(({ id }) => id === written_by);
		t.is(job?.state, 'done', 'pages of a job that is not done');
		t.true(Number(cards) <= job!.cards, `${cards} cards are stored for ${job!.cards} of ${job!.name}`);
	}
	// On PostgreSQL, ids that earlier attempts have reserved stay reserved for a day, and no page may have one of them.
	const unadopted = await knex('page_blocks').join('pages', (on) =>
		on.on('pages.id', '>=', 'first').on('pages.id', '<=', 'last'),
	);
	t.deepEqual(unadopted, [], 'pages of unfinished attempts');
	const checked = await checkDrops(parts, -60_000);
	t.is(checked.missing, 0, 'rows without their blob');
	const blobs: string[] = [];
	for await (const { id } of parts.blobs.list()) blobs.push(id);
	t.deepEqual(blobs.toSorted(), [...new Set(files.map(({ blob_id }) => blob_id))].toSorted(), 'blobs and rows');
	return checked;
}

/** Checks that tokens are where `expected.json` says, that CVVs are stars, and that every other byte is unchanged. */
export function checkTokenized(t: ExecutionContext, fixture: FixtureCase, output: Buffer): void {
	let from = 0;
	let at = 0;
	const compareUpTo = (offset: number) => {
		const length = offset - from;
		t.is(output.toString('latin1', at, at + length), fixture.bytes.toString('latin1', from, offset), fixture.name);
		at += length;
	};
	for (const { kind, offset, length } of fixture.spans) {
		if (kind === 'leave') continue;
		compareUpTo(offset);
		const swappedLength = kind === 'cvv' ? length : 32;
		const swapped = output.toString('latin1', at, at + swappedLength);
		t.regex(swapped, kind === 'cvv' ? /^\*+$/ : /^[0-9a-f]{32}$/i, `${fixture.name} at ${offset}`);
		at += swappedLength;
		from = offset + length;
	}
	compareUpTo(fixture.bytes.length);
	t.is(output.length, at, fixture.name);
}
