import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { dropBlobs } from '../../src/work/drops/drop-blobs.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { openJobEnds } from '../../src/work/jobs/attempts/end-jobs.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { engineDouble, ledgersDouble, MARKS, makeEngineTables, NUMBER } from '../helpers/engine-double.ts';
import { messagesOf } from '../helpers/messages.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

/** Runs two jobs of the account `agency`, of which one succeeds and one fails. */
async function runJobs(t: ExecutionContext, run: CommandRunner): Promise<void> {
	await run('account', 'create', '--user-id', 'agency');
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	const root = openFileRootKey(join(run.dataDir, 'master.key'));
	const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
	const blobs = dropBlobs({ dataDir: run.dataDir, drops: { reservedBytes: 0 } }, database);
	await makeEngineTables(database.knex);
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'test' });
	const account = await database.knex('accounts').where({ user_id: 'agency' }).first();
	const folder = { accountId: account.id, area: 'tokenize' as const, filter: 'GBT' };
	for (const [name, content] of [
		['good.csv', `${NUMBER}\n`],
		['bad.csv', `${MARKS.bad}\n`],
	]) {
		const upload = await drops.begin({ folder, name, createdBy: 'agency' });
		await upload.write(0, Buffer.from(content));
		await openIntake({ database, drops }).accept(upload);
		const now = systemClock.now().getTime();
		const job = await queueStore(database.knex, 'sqlite').claim({ daemonId: 'test', now, leaseUntil: now + 1000 });
		const engine = engineDouble(database);
		const ends = openJobEnds(database);
		const ledgers = ledgersDouble(engine);
		const messages = messagesOf({ database, keyRing });
		await runAttempt({ database, ends, keyRing, blobs, engine, messages, ledgers, maxAttempts: 3 }, job!);
	}
	await database.close();
	t.pass();
}

test('jobs are listed, shown with their report, and a failed one is retried once', async (t) => {
	const run = openCommandRunner(t);
	await runJobs(t, run);
	const listed = (await run('job', 'list', '--user-id', 'agency')).json;
	t.deepEqual(
		listed.map((job: Record<string, unknown>) => [job.name, job.state]),
		[
			['bad.csv', 'failed'],
			['good.csv', 'done'],
		],
	);
	t.is((await run('job', 'list', '--state', 'done')).json.length, 1);
	const { stdout } = await run.text('job', 'list');
	t.regex(stdout, /agency +failed +tokenize +GBT +bad\.csv .*file-malformed/);
	t.regex(stdout, /refused +warned +other numbers +other codes +reason +accepted/);
	const names = async (...filters: string[]) =>
		(await run('job', 'list', ...filters)).json.map(({ name }: { name: string }) => name);
	t.deepEqual(await names('--account', 'agency', '--name', 'oo'), ['good.csv']);
	t.deepEqual(await names('--name', 'OO'), []);
	t.deepEqual(await names('--name', '%'), []);
	t.deepEqual(await names('--day', 'today', '--filter', 'GBT'), ['bad.csv', 'good.csv']);
	t.deepEqual(await names('--day', 'yesterday'), []);
	t.deepEqual(await names('--filter', 'AIR'), []);
	t.is((await run('job', 'list', '--day', '2026-02-30')).json.error.reason, 'bad-input-data');
	t.is(listed[0].otherNumbers, 0);
	const [bad, good] = listed;
	const shown = (await run('job', 'show', good.id, '--report')).json;
	t.like(shown, { id: good.id, attempts: 1, cards: 1, account: 'agency', sentBy: 'agency', fetched: [] });
	t.like(shown.counts, { cards: 1, records: 1 });
	t.like(shown.report, { id: good.id, state: 'done', entries: [] });
	t.is((await run('job', 'show', bad.id)).json.error.reason, 'file-malformed');

	const watched = await run.text('job', 'watch', bad.id);
	t.is(watched.code, 1);
	t.regex(watched.stdout, /^bad\.csv: file-malformed: /);
	t.like((await run('job', 'retry', bad.id)).json, { id: bad.id, state: 'queued' });
	t.like((await run('job', 'show', bad.id)).json, { error: null, lastFailure: { reason: 'file-malformed' } });
	t.regex((await run.text('job', 'list', '--state', 'queued')).stdout, /bad\.csv .*file-malformed/);
	const again = await run('job', 'retry', bad.id);
	t.is(again.code, 1);
	t.regex(again.json.error.message, /is queued, only a failed one/);
	t.like((await run('job', 'watch', good.id)).json, { state: 'done', cards: 1 });
	t.is((await run('job', 'show', 'nowhere')).json.error.reason, 'uri-not-found');
	t.is((await run('job', 'list', '--state', 'odd')).code, 64);
});

test('retention runs on request and says what it deleted', async (t) => {
	const run = openCommandRunner(t);
	await runJobs(t, run);
	t.deepEqual((await run('retention', 'run')).json, { outputs: 0, failedInputs: 0, partials: 0, reports: 0, jobs: 0 });
	t.regex((await run.text('retention', 'run')).stdout, /failedInputs +0/);
});

test('options of a folder are checked, set, shown and removed', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const file = join(run.dataDir, 'options.json');
	const scope = ['--user-id', 'agency', '--filter', '*'];
	writeFileSync(file, JSON.stringify({ onRefused: 'mask', report: { csv: true } }));
	t.is((await run('format-options', 'put', ...scope, '--file', file)).code, 0);
	t.like((await run('format-options', 'show', ...scope)).json, {
		options: { onRefused: 'mask', report: { csv: true } },
	});
	t.true((await run('format-options', 'remove', ...scope)).json.removed);
	t.false((await run('format-options', 'remove', ...scope)).json.removed);
	t.like((await run('format-options', 'show', ...scope)).json, { options: {}, updatedAt: null });
	writeFileSync(file, JSON.stringify({ onRefused: 'shred' }));
	const refused = await run('format-options', 'put', '--user-id', 'agency', '--filter', 'GBT', '--file', file);
	t.is(refused.code, 1);
	t.regex(refused.json.error.message, /onRefused/);
	t.is((await run('format-options', 'show', '--user-id', 'agency', '--filter', 'XYZ')).code, 64);
	writeFileSync(file, '{');
	t.is((await run('format-options', 'put', ...scope, '--file', file)).code, 64);
});
