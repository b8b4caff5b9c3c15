// Keys change while files are processed, and nobody who waits for a file notices.

import { copyFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { generate } from '../../bench/generate.ts';
import { type OpenedParts, startInstallation } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { databases } from '../helpers/database.ts';
import { sizeOf } from '../helpers/runs.ts';
import { until } from '../helpers/until.ts';

/** Checks that an output that is sent back, under a name of its own, becomes the original again. */
async function checkComesBack(t: ExecutionContext, session: Session, tokens: Buffer, original: Buffer, name: string) {
	await session.put(`/detokenize/SIMPLECSV/${name}`, tokens);
	const back = await session.arrival(`/detokenized/SIMPLECSV/${name}`);
	t.true(back.equals(original), name);
}

async function isRunning({ database }: OpenedParts): Promise<boolean> {
	return (await database.knex('page_blocks').limit(1)).length > 0;
}

test('keys are rotated and swept while a job runs, and everything still comes back', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	const parts = await installation.parts();
	const session = await openSession(t, installation, daemon);
	const early = Buffer.from('CardNumber,ExpirationDate,CVV\n4111111111111111,12/29,123\n');
	await session.put('/tokenize/SIMPLECSV/early.csv', early);
	const earlyTokens = await session.arrival('/tokenized/SIMPLECSV/early.csv');

	const { path } = generate('SIMPLECSV', join(installation.folder, 'large.csv'), sizeOf(20_000_000));
	await session.upload(path, '/tokenize/SIMPLECSV/large.csv');
	await until('the job writes pages', () => isRunning(parts), { everyMs: 5 });
	const program = async (...argv: string[]) => {
		const { code, stdout, stderr } = await installation.program(...argv);
		t.is(code, 0, stderr);
		return JSON.parse(stdout);
	};
	const duringJob = [program('key', 'rotate'), program('key', 'rotate', '--purpose', 'drop'), program('key', 'sweep')];
	t.is((await settledJobs(parts)).at(-1)?.state, 'done');
	const [rotated, , sweptBefore] = await Promise.all(duringJob);
	t.deepEqual(
		rotated.map(({ purpose }: { purpose: string }) => purpose),
		['data', 'cvv'],
	);
	await installation.json('key', 'rotate', '--purpose', 'environment');
	const swept = await installation.json('key', 'sweep');
	t.true(sweptBefore.pages + swept.pages > 0);
	const keys: { purpose: string; userId: string; state: string; sealed: number }[] = await installation.json(
		'key',
		'status',
	);
	for (const kept of ['data', 'drop']) {
		const sealing = keys.filter(({ purpose, sealed }) => purpose === kept && sealed > 0);
		t.deepEqual(
			sealing.map(({ state }) => state),
			['active'],
			`one ${kept} key seals everything`,
		);
	}

	const original = await readFile(path);
	const tokens = `${path}.tokens`;
	await session.download('/tokenized/SIMPLECSV/large.csv', tokens);
	await session.upload(tokens, '/detokenize/SIMPLECSV/large.csv');
	await settledJobs(parts);
	await session.download('/detokenized/SIMPLECSV/large.csv', `${path}.back`);
	t.true((await readFile(`${path}.back`)).equals(original));
	await checkComesBack(t, session, earlyTokens, early, 'early.csv');
	await checkAtRest(t, parts);
	await installation.json('audit', 'verify');
	t.is(await daemon.stop(), 0);
});

for (const dialect of databases) {
	test(`${dialect}: a new master key takes over beside a daemon that goes on without a restart`, async (t) => {
		const { installation, daemon } = await startInstallation(t, { dialect });
		const original = Buffer.from('CardNumber,ExpirationDate\n4111111111111111,12/29\n5555555555554444,08/29\n');
		const formerKeyFile = installation.variables.TOKENDROP_MASTER_KEY_FILE ?? join(installation.dataDir, 'master.key');
		const newKeyFile = join(installation.folder, 'new-master.key');
		await installation.json('key', 'rotate', '--purpose', 'root', '--new-master-key-file', newKeyFile);

		const readiness = async (port: number) => {
			const response = await fetch(`http://127.0.0.1:${port}/readyz`);
			return { code: response.status, ...((await response.json()) as { keys: string; warnings?: { keys: string } }) };
		};
		t.like(await readiness(daemon.opsPort), { code: 200, keys: 'ok' });
		t.regex((await readiness(daemon.opsPort)).warnings?.keys ?? '', /master key was replaced.*restart/);
		// This is the first file after the start, so threads, keys of files and keys of another account are still to be opened.
		const session = await openSession(t, installation, daemon);
		await session.put('/tokenize/SIMPLECSV/a.csv', original);
		const tokens = await session.arrival('/tokenized/SIMPLECSV/a.csv');
		await checkComesBack(t, session, tokens, original, 'before.csv');
		const { apiKey } = await installation.json('account', 'create', '--user-id', 'newcomer');
		const card = { Type: 'Visa', Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } };
		const stored = await fetch(`${daemon.baseUrl}/api/payments/paycard`, {
			method: 'POST',
			headers: { 'x-service-api-key': apiKey.key ?? apiKey, 'content-type': 'application/json' },
			body: JSON.stringify({ BankCard: card }),
		});
		t.is(stored.status, 201, await stored.text());
		await until('the daemon, which looks every ten seconds, says it', () =>
			/master key was replaced/.test(daemon.log()),
		);
		t.is((await installation.json('key', 'sweep')).formerMasterKey, 'needed');

		// A daemon that restarts with the former master key is still let in. Once the new key is in its place, no further
		// restart is needed.
		t.is(await daemon.stop(), 0);
		const restarted = await installation.start();
		const again = await openSession(t, installation, restarted);
		await checkComesBack(t, again, tokens, original, 'after.csv');
		copyFileSync(newKeyFile, formerKeyFile);
		t.deepEqual(await readiness(restarted.opsPort), {
			...{ code: 200, status: 'ok', database: 'ok', keys: 'ok', log: 'ok', clock: 'ok', drops: 'ok', jobs: 'ok' },
		} as never);
		await (await installation.parts()).database.knex('keys').where({ purpose: 'bridge' }).update({ needed_at: 1 });
		t.is((await installation.json('key', 'sweep')).formerMasterKey, 'retired');
		await checkComesBack(t, again, tokens, original, 'retired.csv');
		await installation.json('audit', 'verify');
		t.is(await restarted.stop(), 0);
	});
}

test('a retired master key opens nothing: a daemon with it does not start', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	t.is(await daemon.stop(), 0);
	const newKeyFile = join(installation.folder, 'new-master.key');
	await installation.json('key', 'rotate', '--purpose', 'root', '--new-master-key-file', newKeyFile);
	await (await installation.parts()).database.knex('keys').where({ purpose: 'bridge' }).update({ needed_at: 1 });
	installation.variables.TOKENDROP_MASTER_KEY_FILE = newKeyFile;
	t.is((await installation.json('key', 'sweep')).formerMasterKey, 'retired');
	delete installation.variables.TOKENDROP_MASTER_KEY_FILE;
	await t.throwsAsync(installation.start(), { message: /ended with code 1 before it was ready.*master key/s });
	installation.variables.TOKENDROP_MASTER_KEY_FILE = newKeyFile;
	t.is(await (await installation.start()).stop(), 0);
});
