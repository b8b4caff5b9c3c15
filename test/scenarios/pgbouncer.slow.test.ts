// A daemon whose PostgreSQL stands behind PgBouncer in transaction mode, which lends each connection to the server for one
// transaction.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { generate } from '../../bench/generate.ts';
import { openInstallation } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { lostOf, moreStored, storeCards } from '../helpers/failover.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { startPooler } from '../helpers/pgbouncer.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const test = testNeeding('PgBouncer (pgbouncer)');

const FILES = 5;
const LARGE_BYTES = 1_000_000;
const CALLERS = 12;

test.serial(
	'cards and files go through PgBouncer in transaction mode, with more callers than connections',
	async (t) => {
		const server = await startOwnPostgres(t);
		const pooler = await startPooler(server.url);
		t.teardown(() => pooler.stop());
		const url = `${pooler.through(server.url)}?target_session_attrs=read-write`;
		const installation = await openInstallation(t, {
			variables: { TOKENDROP_DATABASE_URL: url, TOKENDROP_PROCESSES: '2', TOKENDROP_WORKERS: '2' },
		});
		await installation.json('migrate');
		const daemon = await installation.start();
		const parts = { installation, daemon };
		const load = storeCards(parts, CALLERS);
		const session = await openSession(t, installation, daemon);
		// The last file has so many cards that their pages are inserted by several statements of a transaction.
		const large = await readFile(generate('SIMPLECSV', join(installation.folder, 'large.csv'), LARGE_BYTES).path);
		const small = Buffer.from('CardNumber\n4111111111111111\n5555555555554444\n');
		const files = [...Array<Buffer>(FILES).fill(small), large];
		for (const [n, file] of files.entries()) await session.put(`/tokenize/SIMPLECSV/${n}.csv`, file);
		await moreStored(load.answers, 300);
		await load.stop();
		t.deepEqual([...new Set(load.answers.map(({ status }) => status))], [201]);
		t.deepEqual(await lostOf(parts, load.answers), []);
		const opened = await installation.parts();
		t.deepEqual([...new Set((await settledJobs(opened)).map(({ state }) => state))], ['done']);
		for (const n of files.keys()) {
			await session.put(`/detokenize/SIMPLECSV/${n}.csv`, await session.get(`/tokenized/SIMPLECSV/${n}.csv`));
		}
		await settledJobs(opened);
		for (const [n, file] of files.entries()) t.deepEqual(await session.get(`/detokenized/SIMPLECSV/${n}.csv`), file);
		await checkAtRest(t, opened);
		t.is((await installation.command('audit', 'verify')).code, 0);
		t.is(await daemon.stop(), 0, daemon.log());

		// Whoever gets one of these connections next would work with what was set or prepared there.
		const clients = Array.from({ length: 8 }, () => new pg.Client({ connectionString: pooler.through(server.url) }));
		await Promise.all(clients.map((client) => client.connect()));
		const left = await Promise.all(
			clients.map(async (client) => {
				await client.query('begin');
				const sql = `select current_setting('idle_in_transaction_session_timeout') as idle,
				current_setting('synchronous_commit') as commit, (select count(*)::int from pg_prepared_statements) as statements`;
				const { rows } = await client.query(sql);
				await client.query('commit');
				return JSON.stringify(rows[0]);
			}),
		);
		await Promise.all(clients.map((client) => client.end()));
		t.deepEqual([...new Set(left)], [JSON.stringify({ idle: '0', commit: 'on', statements: 0 })]);
	},
);
