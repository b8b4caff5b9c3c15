// Keys change while files are processed, and nobody who waits for a file notices.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { generate } from '../bench/generate.ts';
import { type OpenedRooms, startInstallation, until } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';

/** An output given back under a name of its own becomes the original again. */
async function checkComesBack(t: ExecutionContext, session: Session, tokens: Buffer, original: Buffer, name: string) {
	await session.put(`/detokenize/SIMPLECSV/${name}`, tokens);
	const back = await session.arrival(`/detokenized/SIMPLECSV/${name}`);
	t.true(back.equals(original), name);
}

async function isRunning({ database }: OpenedRooms): Promise<boolean> {
	return (await database.knex('page_blocks').limit(1)).length > 0;
}

test('keys are rotated and swept while a job runs, and everything still comes back', async (t) => {
	t.timeout(120_000);
	const { installation, daemon } = await startInstallation(t);
	const rooms = await installation.rooms();
	const session = await openSession(t, installation, daemon);
	const early = Buffer.from('CardNumber,ExpirationDate,CVV\n4111111111111111,12/29,123\n');
	await session.put('/tokenize/SIMPLECSV/early.csv', early);
	const earlyTokens = await session.arrival('/tokenized/SIMPLECSV/early.csv');

	const { path } = generate('SIMPLECSV', join(installation.folder, 'large.csv'), 20_000_000);
	await session.upload(path, '/tokenize/SIMPLECSV/large.csv');
	await until('the job writes pages', () => isRunning(rooms), { everyMs: 5 });
	const program = async (...argv: string[]) => {
		const { code, stdout, stderr } = await installation.program(...argv);
		t.is(code, 0, stderr);
		return JSON.parse(stdout);
	};
	const duringJob = [program('key', 'rotate'), program('key', 'rotate', '--purpose', 'drop'), program('key', 'sweep')];
	t.is((await settledJobs(rooms)).at(-1)?.state, 'done');
	const [rotated, , sweptBefore] = await Promise.all(duringJob);
	t.deepEqual(
		rotated.map(({ purpose }: { purpose: string }) => purpose),
		['data', 'cvv'],
	);
	await installation.json('key', 'rotate', '--purpose', 'environment');
	const swept = await installation.json('key', 'sweep');
	t.true(sweptBefore.pages + swept.pages > 0);
	const keys: { purpose: string; userId: string; state: string; pages: number }[] = await installation.json(
		'key',
		'status',
	);
	const sealing = keys.filter(({ purpose, pages }) => purpose === 'data' && pages > 0);
	t.deepEqual(
		sealing.map(({ state }) => state),
		['active'],
		'one key seals every page',
	);

	const original = await readFile(path);
	const tokens = `${path}.tokens`;
	await session.download('/tokenized/SIMPLECSV/large.csv', tokens);
	await session.upload(tokens, '/detokenize/SIMPLECSV/large.csv');
	await settledJobs(rooms);
	await session.download('/detokenized/SIMPLECSV/large.csv', `${path}.back`);
	t.true((await readFile(`${path}.back`)).equals(original));
	await checkComesBack(t, session, earlyTokens, early, 'early.csv');
	await checkAtRest(t, rooms);
	await installation.json('audit', 'verify');
	t.is(await daemon.stop(), 0);
});

test('a new master key takes over: the daemon starts with it, not with the old one, and everything comes back', async (t) => {
	t.timeout(60_000);
	const { installation, daemon } = await startInstallation(t);
	const session = await openSession(t, installation, daemon);
	const original = Buffer.from('CardNumber,ExpirationDate\n4111111111111111,12/29\n5555555555554444,08/29\n');
	await session.put('/tokenize/SIMPLECSV/a.csv', original);
	const tokens = await session.arrival('/tokenized/SIMPLECSV/a.csv');

	const masterKeyFile = join(installation.folder, 'new-master.key');
	await installation.json('key', 'rotate', '--purpose', 'root', '--new-master-key-file', masterKeyFile);
	// The daemon that runs has opened its keys already.
	await checkComesBack(t, session, tokens, original, 'before.csv');
	t.is(await daemon.stop(), 0);

	await t.throwsAsync(installation.start(), { message: /ended with code 1 before it was ready.*master key/s });
	installation.variables.TOKENDROP_MASTER_KEY_FILE = masterKeyFile;
	const restarted = await installation.start();
	const again = await openSession(t, installation, restarted);
	await checkComesBack(t, again, tokens, original, 'after.csv');
	t.deepEqual(await again.get('/tokenized/SIMPLECSV/a.csv'), tokens);
	await installation.json('audit', 'verify');
	t.is(await restarted.stop(), 0);
});
