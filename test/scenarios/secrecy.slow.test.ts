// Those tests of secrecy.test.ts that take long.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { type Installation, type OpenedParts, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { settledJobs } from '../helpers/daemon-checks.ts';
import { makeSshKey } from '../helpers/daemon-credentials.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { type FixtureCase, fixtureCases } from '../helpers/fixture-cases.ts';
import { findLeaks, sweepFolder, sweepTables } from '../helpers/secrecy.ts';
import { cases, NUMBER, secrets } from './secrecy.setup.ts';

const nowhere = test.macro({
	async exec(t, dialect: Dialect) {
		const variables = { TOKENDROP_LOG_LEVEL: 'trace', TOKENDROP_SFTP_MAX_HANDLES: '1000' };
		const { installation, daemon } = await startInstallation(t, { dialect, variables });
		const session = await openSession(t, installation, daemon);
		const parts = await installation.parts();
		// Both databases have the same tables, so only SQLite sees every fixture; PostgreSQL sees the largest groups of them.
		const groups = dialect === 'sqlite' ? rounds() : rounds().slice(0, 2);
		for (const round of groups) await runRound(installation, session, parts, round);
		const jobs = await settledJobs(parts);
		t.true(jobs.filter(({ operation, state }) => operation === 'tokenize' && state === 'done').length > 100);
		t.true(jobs.filter(({ state }) => state === 'failed').length > 50);
		t.true(jobs.filter(({ operation, state }) => operation === 'detokenize' && state === 'done').length > 100);
		await tryWhatFails(installation, daemon, session);
		await runCommands(installation, jobs.find(({ state }) => state === 'failed')!.id);
		const told: Buffer[] = [];
		for (const filter of formats.keys()) {
			for (const name of await session.names(`/reports/${filter}`)) {
				told.push(Buffer.from(name), await session.get(`/reports/${filter}/${name}`));
			}
		}
		for (const path of ['metrics', 'healthz', 'readyz']) {
			const response = await fetch(`http://127.0.0.1:${daemon.opsPort}/${path}`);
			told.push(Buffer.from(await response.text()));
		}
		const names = new Set(jobs.map(({ filter, name }) => `${filter}/${name}`));
		t.is(told.length, 2 * (jobs.length + names.size) + 3, 'name and report of every job, and of every name the latest');
		t.deepEqual(findLeaks('reports and metrics', Buffer.concat(told), secrets), []);
		const kept = sweepFolder(installation.dataDir, secrets);
		t.deepEqual(kept.leaks, []);
		const { rows } = (await parts.database.knex('small_blobs').count({ rows: '*' }).first())!;
		t.true(kept.files + Number(rows) > 2 * jobs.length, 'there were files to search, or rows with their bytes');
		t.deepEqual(sweepFolder(installation.tmpDir, secrets).leaks, []);
		const tables = await sweepTables(parts.database, secrets);
		t.deepEqual(tables.leaks, []);
		t.true(tables.rows > 3 * jobs.length, 'there were rows to search');
		await daemon.stop();
		t.deepEqual(findLeaks('what was said', Buffer.from(installation.said()), secrets), []);
		t.true(installation.said().length > 100_000, 'there was something said');
		t.deepEqual(sweepFolder(installation.dataDir, secrets).leaks, [], 'after the stop');
	},
	title: (_, dialect) => `every fixture there and back, and all that fails, leaves no card in clear (${dialect})`,
});

test.serial(nowhere, 'sqlite');
test.serial(nowhere, 'postgres');

/** Groups fixtures that may run at the same time: they have the same options for a filter, as an account has one set. */
function rounds(): FixtureCase[][] {
	const byRound: FixtureCase[][] = [];
	for (const filter of formats.keys()) {
		const ofFilter = cases.filter((each) => each.filter === filter);
		const groups = Object.values(Object.groupBy(ofFilter, ({ config }) => JSON.stringify(config))) as FixtureCase[][];
		groups.sort((one, other) => other.length - one.length);
		for (const [n, group] of groups.entries()) (byRound[n] ??= []).push(...group);
	}
	return byRound;
}

async function runRound(installation: Installation, session: Session, parts: OpenedParts, round: FixtureCase[]) {
	const { id: accountId } = await parts.identity.accounts.get(installation.demo.userId);
	for (const { filter, config } of round) {
		const options = { ...config, report: { cards: 'all' } };
		await putFormatOptions(parts, { accountId, filter }, options, () => {});
	}
	const put = (area: string, { filter, name }: FixtureCase, bytes: Buffer) =>
		session.put(`/${area}/${filter}/${name}.txt`, bytes);
	await Promise.all(round.map((each) => put('tokenize', each, each.bytes)));
	const jobs = await settledJobs(parts);
	const done = round.filter(({ filter, name }) =>
		jobs.some((job) => job.filter === filter && job.name === `${name}.txt` && job.state === 'done'),
	);
	await Promise.all(
		done.map(async (each) => put('detokenize', each, await session.get(`/tokenized/${each.filter}/${each.name}.txt`))),
	);
	await settledJobs(parts);
	for (const { filter, name } of done) await session.get(`/detokenized/${filter}/${name}.txt`);
}

/** Tries what must fail if people paste card numbers where they do not belong. */
async function tryWhatFails(installation: Installation, daemon: RunningDaemon, session: Session) {
	const grouped = '4111 1111 1111 1111';
	const fails = async (attempt: Promise<unknown>) => {
		const outcome = await attempt.then(
			() => 'done',
			() => 'failed',
		);
		if (outcome !== 'failed') throw new Error('what should fail did not');
	};
	for (const text of [NUMBER, grouped]) {
		await fails(openSession({ teardown() {} }, installation, daemon, { userName: text, password: 'x' }));
		await fails(openSession({ teardown() {} }, installation, daemon, { userName: 'demo', password: text }));
		await fails(session.put(`/tokenize/CSV/${text}.csv`, Buffer.from('a')));
		await fails(session.put(`/tokenize/CSV/.${text}.filepart`, Buffer.from('a')));
		await fails(session.get(`/tokenized/CSV/${text}.csv`));
		await fails(session.names(`/tokenize/${text}`));
		await fails(session.rename(`/tokenized/CSV/${text}`, `/tokenized/CSV/${text}.bak`));
	}
}

/** Runs command lines that work, that fail, and that are wrong. */
async function runCommands({ folder, command }: Installation, failedJob: string): Promise<void> {
	const demo = ['--user-id', 'demo', '--filter'];
	const [options, input] = ['options.json', 'input.txt'].map((name) => join(folder, name));
	const named = { columns: { cardNumber: { name: NUMBER } } };
	const merchant = { merchantId: '4111-1111-1111-1111' };
	for (const bad of [{ onRefused: NUMBER }, { [NUMBER]: 1 }, [NUMBER], named, merchant]) {
		await writeFile(options, JSON.stringify(bad));
		const { code } = await command('format-options', 'put', ...demo, 'CSV', '--file', options);
		if (code !== 1) throw new Error(`a number in options is taken: ${Object.keys(bad)}`);
	}
	const key = await makeSshKey(folder, 'id_number', `card ${NUMBER}`);
	await command('ssh-key', 'add', '--user-id', 'demo', '--file', `${key}.pub`);
	await writeFile(options, `{"a": ${NUMBER} b}`);
	await command('format-options', 'put', ...demo, 'CSV', '--file', options);
	for (const filter of formats.keys()) {
		for (const isGood of [true, false]) {
			await writeFile(input, fixtureCases(filter).find(({ error }) => (error === undefined) === isGood)!.bytes);
			await command('file', 'tokenize', ...demo, filter, input, join(folder, `output-${filter}-${isGood}`));
		}
	}
	await command('job', 'show', failedJob, '--report');
	await command('job', 'show', NUMBER);
	await command('job', 'list', '--state', NUMBER);
	await command('account', 'show', '--user-id', NUMBER);
	for (const userId of [NUMBER, `${NUMBER} x`]) await command('account', 'create', '--user-id', userId);
	await command('audit', 'export');
}

for (const dialect of ['sqlite', 'postgres'] as const) {
	test(`the sweep finds a number planted in a table, as text and as bytes (${dialect})`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		t.deepEqual((await sweepTables(database, secrets)).leaks, []);
		const options = { account_id: 1, filter: 'CSV', options: JSON.stringify({ a: NUMBER }), updated_at: 0 };
		await database.knex('format_options').insert(options);
		const row = { account_id: 1, fingerprint: Buffer.from(`\0${NUMBER}\0`), page_id: 1, slot: 0 };
		await database.knex('fingerprints').insert(row);
		const { leaks } = await sweepTables(database, secrets);
		t.deepEqual(leaks.map(({ where }) => where).toSorted(), ['fingerprints.fingerprint', 'format_options.options']);
	});
}
