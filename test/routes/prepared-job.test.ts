// Tests that what processes the file of a route is made ready while the file is collected, and only if it is needed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { routeParts } from '../../src/installation/opening/route-parts.ts';
import { askForRun } from '../../src/work/routes/runs/begin-runs.ts';
import { carryOut } from '../../src/work/routes/runs/carry-out.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { CSV } from '../helpers/route-parts.ts';

const BY = 'operator test';

/** Runs a route over a folder of the server, and returns what happened in its order. */
async function runRoute(t: ExecutionContext, work: object): Promise<string[]> {
	const folder = makeFolder(t);
	for (const each of ['out', 'in']) mkdirSync(join(folder, each));
	writeFileSync(join(folder, 'out', 'may.csv'), CSV);
	const parts = await openHttpApp(t, 'sqlite', { folders: [folder] });
	const { account } = await parts.createCaller('agency');
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	const from = { folder, path: 'out', ready: { unchanged: '0s' } };
	const document = JSON.stringify({ name: 'r', from, do: work, to: { folder, path: 'in' } });
	const { row } = await parts.routes.put(owner, await parts.routes.read(owner, document), BY);
	// The file is as old as the clock of the test demands.
	parts.clock.turn(Date.now() - parts.clock.now().getTime() + 60_000);
	const happened: string[] = [];
	const opened = {
		...parts,
		messages: undefined as never,
		prepareJob: () => void happened.push('prepared'),
		processJob: async () => void happened.push(await runNextJob(parts)),
	};
	const settings = { environment: 'sandbox', relay: { allowPrivate: true }, routes: { folders: folder } } as never;
	const asked = await askForRun(parts, row, 'hand');
	await runStore(parts.database.knex).take(asked, { daemonId: 'test', leaseUntil: Date.now() + 60_000 });
	await carryOut(routeParts(opened, settings), asked, 'test', new AbortController().signal);
	t.is((await runStore(parts.database.knex).findById(asked.id))?.state, 'done');
	return happened;
}

test('a thread is made ready while the file is collected that it is to process', async (t) => {
	t.deepEqual(await runRoute(t, { operation: 'tokenize', filter: 'SIMPLECSV' }), ['prepared', 'done']);
});

test('nothing is made ready for a file that is only passed on', async (t) => {
	t.deepEqual(await runRoute(t, { operation: 'none' }), []);
});
