import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readClockOffset } from '../../src/base/database/checks.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { daemonStore } from '../../src/installation/daemons/daemon-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openInstallation } from '../helpers/operator-commands.ts';
import { type CommandOutcome, openCommandRunner } from '../helpers/run-command.ts';

const part = ({ json }: CommandOutcome, name: string) =>
	json.findings.find((finding: { part: string }) => finding.part === name);

for (const dialect of databases) {
	test(`${dialect}: a well installation has nothing to do, and a sick one says what`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: database.url });
		await run('account', 'create', '--user-id', 'agency');
		const { knex } = database;
		const silent = { id: 'one', version: '0.1.0', knows: '0014-daemons.expand', started_at: 1 };
		await daemonStore(knex).sign({ ...silent, seen_at: Date.now() - 1000 });
		const well = await run('doctor');
		t.is(well.code, 0, well.stdout);
		t.true(well.json.isWell);
		t.false(
			well.json.findings.some((finding: object) => 'told' in finding),
			'codes are for pages',
		);
		for (const name of [
			'versions',
			'database',
			'clock',
			'keys',
			'drops',
			'disk',
			'daemon',
			'queue',
			'failures',
			'bans',
		]) {
			t.not(part(well, name)?.state, 'problem', name);
		}
		t.is(part(well, 'daemon').state, 'ok');
		t.regex(part(well, 'daemon').says, /at work: one \(0\.1\.0\); the last sign came [0-9] s ago/);

		await daemonStore(knex).sign({ ...silent, seen_at: Date.now() - 600_000 });
		// A task that began a moment ago does not say that a daemon runs.
		const begun = { task: 'retention', fires_at: 1, claimed_by: 'one', started_at: Date.now(), outcome: 'failed' };
		await knex('schedule_runs').insert(begun);
		const names = { filter: 'GBT', name: 'may.csv', operation: 'tokenize', user_id: 'agency' };
		const counts = { attempts: 0, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0, input_id: 1 };
		const accountId = (await knex('accounts').first('id')).id;
		const job = {
			account_id: accountId,
			...names,
			...counts,
			created_at: Date.now(),
			next_run_at: Date.now() - 3_600_000,
		};
		await knex('jobs').insert({ ...job, id: 'a', state: 'queued' });
		await knex('jobs').insert({ ...job, id: 'b', state: 'failed', error_reason: 'file-malformed' });
		t.like(part(await run('doctor'), 'failures'), {
			state: 'ok',
			says: 'files failed within a day for what was in them or asked with them: 1 of agency; their senders have reports',
		});
		await knex('jobs').insert({ ...job, id: 'c', state: 'failed', error_reason: 'input-damaged' });
		const file = {
			account_id: accountId,
			area: 'tokenize',
			filter: 'GBT',
			name: 'may.csv',
			size: 1,
			state: 'accepted',
		};
		const blob_id = '01kjpz8q4y6t3wxa7n5c2dme9r';
		await knex('drop_files').insert({ ...file, blob_id, created_at: 1, modified_at: 1 });
		const sick = await run('doctor');
		t.is(sick.code, 1);
		t.like(part(sick, 'daemon'), { state: 'problem' });
		t.like(part(sick, 'queue'), { state: 'problem' });
		t.like(part(sick, 'drops'), { state: 'problem' });
		t.regex(part(sick, 'drops').says, /1 stored file is gone: tokenize\/GBT.*its job fails/);
		t.regex(part(sick, 'failures').says, /GBT\/may\.csv: input-damaged \(job c\)/);
		t.regex(
			part(sick, 'daemon').says,
			/no daemon is running: one gave its last sign 60\d s ago; files wait and nothing is deleted on time/,
		);
		t.regex(part(sick, 'queue').says, /since .*: senders wait for their files/);
		t.regex(part(sick, 'failures').says, /the sender got a report and no output/);
		for (const finding of sick.json.findings) if (finding.state !== 'ok') t.truthy(finding.todo, finding.part);
		const { stdout } = await run.text('doctor');
		t.regex(stdout, /^queue +WRONG +1 wait/m);
		t.regex(stdout, /^What to do:\n- /m);
	});
}

test('doctor says whether payment pages are served as they were sent', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: database.url });
	await run('account', 'create', '--user-id', 'agency');
	const pages = async () => part(await run('doctor'), 'payment pages');
	t.like(await pages(), { state: 'ok', says: 'not compared yet; a daemon does so daily' });
	const noteRun = (atMs: number, outcome: string | null) =>
		database.knex('schedule_runs').insert({
			...{ task: 'integrity', fires_at: atMs, claimed_by: 'one', started_at: atMs, finished_at: atMs, outcome },
		});
	const now = Date.now();
	await noteRun(now - 9 * 86_400_000, 'done');
	t.is((await pages()).state, 'warning');
	await noteRun(now - 3_600_000, 'failed');
	t.like(await pages(), { state: 'problem' });
	t.regex((await pages()).todo, /tokendrop integrity/);
	await noteRun(now - 1_800_000, 'done');
	await noteRun(now - 1000, null);
	t.is((await pages()).state, 'ok');
});

test('doctor makes no installation where there is none, and reports a lost master key', async (t) => {
	const nowhere = openCommandRunner(t, {}, { isReady: false });
	const none = await nowhere('doctor');
	t.is(none.code, 1);
	t.regex(part(none, 'database').says, /does not exist/);
	t.false(existsSync(join(nowhere.dataDir, 'tokendrop.sqlite')));
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	rmSync(join(run.dataDir, 'master.key'));
	t.regex(part(await run('doctor'), 'database or keys').says, /there is no master key/);
	writeFileSync(join(run.dataDir, 'master.key'), 'ab'.repeat(32), { mode: 0o600 });
	t.is((await run('doctor')).code, 1);
});

test('the clock of PostgreSQL is compared with this one', async (t) => {
	const { url } = await openTestDatabase(t, 'postgres');
	const database = await openDatabase({ url });
	t.teardown(() => database.close());
	t.true(Math.abs((await readClockOffset(database, Date.now))!) < 5_000);
	const ahead = await readClockOffset(database, () => Date.now() - 60_000);
	t.true(ahead! > 50_000, `${ahead}`);
});

test('doctor says which tasks failed and that their work is overdue, whom a ban shuts out, and what to do', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: database.url });
	await run('account', 'list');
	const at = Date.now() - 1000;
	const fire = { task: 'cvv-retention', fires_at: 1, claimed_by: 'one', started_at: at, outcome: 'failed' };
	await database.knex('schedule_runs').insert(fire);
	await database.knex('defender_scores').insert({
		...{ door: 'sftp', address: '192.0.2.7', window_start: at, window_ms: 60_000, score: 9, previous_score: 0 },
		...{ banned_until: Date.now() + 3_600_000, banned_at: at, told_at: at, expires_at: Date.now() + 7_200_000 },
	});
	const { code, json } = await run('doctor');
	t.is(code, 0, 'a warning alone is no failure');
	const schedule = json.findings.find((finding: { part: string }) => finding.part === 'schedule');
	t.is(schedule.state, 'warning');
	t.regex(schedule.says, /cvv-retention failed .*, so what they do may be overdue/);
	t.regex(schedule.todo, /`scheduled task failed`/);
	const bans = json.findings.find((finding: { part: string }) => finding.part === 'bans');
	t.regex(bans.says, /^1 address is shut out/);
	t.regex(bans.todo, /`tokendrop ban list`.*`tokendrop ban lift --address ADDRESS`/);
});

test('a person who may not run doctor is refused, and is not told that the database is wrong', async (t) => {
	const { run, addByKey } = await openInstallation(t);
	await addByKey('alice', 'keys');
	t.like(await run('doctor'), { code: 77, json: { error: { reason: 'operator-required' } } });
});
