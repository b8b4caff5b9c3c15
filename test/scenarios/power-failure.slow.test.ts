// PostgreSQL loses its power while files are processed and cards are stored: everything that was acknowledged is there
// afterwards. Inserts of a job do not wait for the disk (docs/decisions/0014), only the commit that ends the job does.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { generate } from '../../bench/generate.ts';
import { cardJson } from '../helpers/card-calls.ts';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

const FAILURES = 4;
const FILE_BYTES = 10_000;
const PAUSE_MS = 10;

test.serial('PostgreSQL loses its power again and again: what was acknowledged is there', async (t) => {
	const server = await startOwnPostgres(t);
	const variables = { TOKENDROP_DATABASE_URL: server.url, TOKENDROP_JOBS_LEASE_SECONDS: '2', TOKENDROP_WORKERS: '2' };
	const installation = await openInstallation(t, { variables });
	await installation.json('migrate');
	const daemon = await installation.start();
	const session = await openSession(t, installation, daemon);
	const stop = new AbortController();
	const sending = sendFiles(session, installation.folder, stop.signal);
	const storing = storeCards(installation, daemon, stop.signal);
	for (let failures = 0; failures < FAILURES; failures++) {
		// The test waits until files have come through since the last failure, so that each failure meets work.
		const before = (await resultNames(session)).length;
		await until('further results', async () => (await resultNames(session)).length > before + 5);
		await server.losePower();
		await sleep(200);
		await server.start();
	}
	stop.abort();
	const files = await sending;
	const cards = await storing;
	t.true(cards.length > 20, `${cards.length} cards`);
	const parts = await installation.parts();
	const { knex } = parts.database;
	// A job that met several failures waits for up to 80 s before its next attempt, which is not what is tried here.
	await until(
		'no job waits for its next attempt',
		async () => {
			await knex('jobs').where({ state: 'queued' }).update({ next_run_at: 0 });
			return (await knex('jobs').whereIn('state', ['queued', 'running']).limit(1)).length === 0;
		},
		{ withinMs: 60_000, everyMs: 200 },
	);
	const jobs = await settledJobs(parts);
	const anew = jobs.filter(({ attempts }) => attempts > 1).length;
	t.log(`${files.length} files, ${cards.length} cards, ${anew} jobs begun anew`);
	t.true(anew > 0, 'a failure met a running job');
	t.deepEqual([...new Set(jobs.map(({ state }) => state))], ['done']);
	for (const { token, lastDigits } of cards) {
		const answer = await call(installation, daemon, `/api/payments/paycard/${token}/meta`);
		t.is(answer.status, 200);
		t.true((await answer.text()).includes(`"LastDigits":"${lastDigits}"`), token);
	}
	await checkAtRest(t, parts);
	for (const { name } of files) {
		const tokens = await session.get(`/tokenized/SIMPLECSV/${name}`);
		t.notRegex(tokens.toString('latin1'), /\d{13}/);
		await session.put(`/detokenize/SIMPLECSV/${name}`, tokens);
	}
	await settledJobs(parts);
	for (const { name, bytes } of files) {
		t.deepEqual(await session.get(`/detokenized/SIMPLECSV/${name}`), bytes, `${name} comes back`);
	}
	await checkAtRest(t, parts);
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0, daemon.log());
});

/**
 * Sends one file after the other until the signal. A file whose acceptance was not answered is sent again, as a client
 * would do.
 */
async function sendFiles(session: Session, folder: string, signal: AbortSignal) {
	const files: { readonly name: string; readonly bytes: Buffer }[] = [];
	while (!signal.aborted) {
		const name = `power-${files.length}.csv`;
		const bytes = await readFile(generate('SIMPLECSV', join(folder, name), FILE_BYTES).path);
		const put = () => session.put(`/tokenize/SIMPLECSV/${name}`, bytes).then(() => true);
		await until(`${name} is accepted`, () => put().catch(() => false));
		files.push({ name, bytes });
		await sleep(PAUSE_MS);
	}
	return files;
}

/** Returns the names of the results that a client sees at this moment; none while the database is away. */
async function resultNames(session: Session): Promise<string[]> {
	return session.names('/tokenized/SIMPLECSV').catch(() => []);
}

/** Stores one card after the other until the signal, and returns those that were acknowledged. */
async function storeCards(installation: Installation, daemon: RunningDaemon, signal: AbortSignal) {
	const acknowledged: { readonly token: string; readonly lastDigits: string }[] = [];
	while (!signal.aborted) {
		const answer = await call(installation, daemon, '/api/payments/paycard', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: cardJson(),
		});
		await answer.text();
		if (answer.status === 201) {
			acknowledged.push({ token: answer.headers.get('location')!.slice(-32), lastDigits: '1111' });
		}
		await sleep(PAUSE_MS);
	}
	return acknowledged;
}

function call({ demo }: Installation, { baseUrl }: RunningDaemon, path: string, options: RequestInit = {}) {
	const headers = { ...options.headers, 'x-service-api-key': demo.apiKey, accept: 'application/json' };
	return fetch(`${baseUrl}${path}`, { ...options, headers });
}
