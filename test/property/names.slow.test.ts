// Checks which file a name shows when files are uploaded, processed, tried again, renamed and removed in any order.

import test from 'ava';
import fc from 'fast-check';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { MARKS } from '../helpers/engine-double.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

/** An event. `lose` is the death of a daemon over the next job, which begins anew. `pick` counts modulo what there is. */
type Step =
	| { kind: 'put'; name: number; isBad: boolean }
	| { kind: 'run' }
	| { kind: 'lose' }
	| { kind: 'retry'; pick: number }
	| { kind: 'remove'; pick: number }
	| { kind: 'rename'; pick: number; name: number };

const NAMES = ['daily.csv', 'daily', 'other.csv'];

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), name: fc.nat(1), isBad: fc.boolean() }) },
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), pick: fc.nat(9) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), pick: fc.nat(9) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), pick: fc.nat(9), name: fc.nat(2) }) },
);

/** The jobs whose outputs the client of the account has removed or renamed. */
interface Touched {
	readonly removed: Set<string>;
	readonly renamed: Set<string>;
}

async function perform(parts: JobParts, accountId: number, each: Step, touched: Touched): Promise<void> {
	if (each.kind === 'put') {
		await parts.put(NAMES[each.name], each.isBad ? MARKS.bad : 'fine', { accountId });
	} else if (each.kind === 'run' || each.kind === 'lose') {
		const job = await parts.claim();
		if (!job) return;
		if (each.kind === 'lose') await queueStore(parts.database.knex, 'sqlite').requeueExpired(null, 0);
		else await runAttempt(parts, job);
	} else if (each.kind === 'retry') {
		const failed = await parts.jobs({ accountId: accountId as never, state: 'failed' });
		const job = failed[each.pick % failed.length];
		// Every second attempt at a job succeeds, as if what was wrong had been repaired in the meantime.
		if (job) await requeueFailed(parts.database, job, 0);
	} else {
		const outputs = await parts.files('tokenized', accountId);
		const output = outputs[each.pick % outputs.length];
		if (!output) return;
		if (each.kind === 'remove') {
			await parts.drops.remove(output);
			touched.removed.add(output.job_id!);
		} else if (await parts.drops.rename(output, NAMES[each.name], undefined)) touched.renamed.add(output.job_id!);
	}
}

function must(holds: boolean, sentence: string): void {
	if (!holds) throw new Error(sentence);
}

async function check(parts: JobParts, accountId: number, { removed, renamed }: Touched): Promise<void> {
	const jobs = await parts.jobs({ accountId: accountId as never });
	const youngest = (name: string, among: JobRow[] = jobs) => among.find((job) => job.name === name);
	const outputs = await parts.files('tokenized', accountId);
	const done = jobs.filter(({ state }) => state === 'done');
	for (const job of done) {
		const own = outputs.filter((file) => file.job_id === job.id);
		must(own.length === (removed.has(job.id) ? 0 : 1), `${own.length} outputs of a job that is done`);
		if (own.length === 0 || renamed.has(job.id)) continue;
		const isYoungest = youngest(job.name)!.id === job.id;
		// If nothing was renamed in this round, the name of every output is certain.
		if (renamed.size === 0) must((own[0].name === job.name) === isYoungest, `${own[0].name} of ${job.name}`);
		if (!isYoungest) must(own[0].name !== job.name, 'the name shows a file that is not the last of it');
	}
	must(outputs.length === done.length - removed.size, 'an output nobody made');

	const inputs = await parts.files('tokenize', accountId);
	const failed = jobs.filter(({ state }) => state === 'failed');
	const kept = inputs.filter(({ state }) => state === 'failed');
	must(new Set(kept.map(({ name }) => name)).size === failed.length, 'a failed input is hidden by another');
	for (const file of kept) {
		const { name, id } = failed.find((job) => job.input_id === file.id)!;
		must([`${name}.failed`, `${name}.${id}.failed`].includes(file.name), file.name);
	}
	must(
		inputs.filter(({ state }) => state === 'accepted').every(({ name }) => NAMES.includes(name)),
		'an input that waits is listed under its own name',
	);

	const reports = await parts.files('reports', accountId);
	for (const name of NAMES) {
		const latest = reports.find((file) => file.name === `${name}.json`);
		// From the moment a new file of the name is accepted until its job has ended, the name of the report is free.
		const last = youngest(name);
		const reported = last?.report_id === null ? undefined : last?.id;
		must(latest?.job_id === reported, `the report ${name}.json is not that of the last file`);
	}
}

test('in any order of events, a name shows its last file, and no output or input is lost', async (t) => {
	const parts = await openJobParts(t);
	const { engine } = parts;
	// Every second attempt at a job reads good bytes, so that a failed job may succeed when it is tried again.
	const run: typeof engine.run = async (request) => {
		const { attempts } = await parts.job(request.pass.jobId!);
		return engine.run(attempts % 2 === 0 ? { ...request, source: fine() } : request);
	};
	const repairing = { ...parts, engine: { ...engine, run } };
	let round = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
			const accountId = ++round;
			const touched = { removed: new Set<string>(), renamed: new Set<string>() };
			for (const each of steps) {
				await perform(repairing, accountId, each, touched);
				await check(parts, accountId, touched);
			}
			await parts.database.knex('jobs').where({ account_id: accountId }).update({ state: 'done' });
		}),
		{ numRuns: 60 },
	);
	t.pass();
});

async function* fine() {
	yield Buffer.from('fine');
}
