// Tests that a run which is lost is over only when none of its files is under way any more.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { routeParts } from '../../src/installation/opening/route-parts.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { askForRun } from '../../src/work/routes/runs/begin-runs.ts';
import { carryOut } from '../../src/work/routes/runs/carry-out.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { until } from '../helpers/until.ts';

/** More files than are under way at once. */
const NAMES = ['a.csv', 'b.csv', 'c.csv', 'd.csv', 'e.csv', 'f.csv'];

test('a run that is lost while files are under way waits for them, so that nobody takes them a second time', async (t) => {
	const folder = makeFolder(t);
	for (const each of ['out', 'in']) mkdirSync(join(folder, each));
	// Empty files are never in the middle of their content.
	for (const name of NAMES) writeFileSync(join(folder, 'out', name), '');
	const parts = await openHttpApp(t, 'sqlite', { folders: [folder] });
	const { account } = await parts.createCaller('agency');
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	const from = { folder, path: 'out', ready: { unchanged: '0s', empty: 'process' } };
	const work = { operation: 'tokenize', filter: 'SIMPLECSV' };
	const document = JSON.stringify({ name: 'r', from, do: work, to: { folder, path: 'in' } });
	const { row } = await parts.routes.put(owner, await parts.routes.read(owner, document), 'operator test');
	parts.clock.turn(Date.now() - parts.clock.now().getTime() + 60_000);

	const lost = new AbortController();
	const release = Promise.withResolvers<void>();
	const waiting = Promise.withResolvers<void>();
	let held = 0;
	const opened = {
		...parts,
		messages: undefined as never,
		audit: {
			...parts.audit,
			async record(...[entry, transaction]: Parameters<typeof parts.audit.record>) {
				await parts.audit.record(entry, transaction);
				// The run is lost when its first file has arrived and others are in the middle of their jobs.
				if (entry.action === 'route.deliver') lost.abort();
			},
		},
		async processJob(id: Parameters<ReturnType<typeof jobStore>['findById']>[0]) {
			const job = await jobStore(parts.database.knex).findById(id);
			if (job?.name === 'a.csv') {
				await waiting.promise;
				for (;;) {
					await runNextJob(parts);
					if ((await jobStore(parts.database.knex).findById(id))?.state === 'done') return;
				}
			}
			held += 1;
			if (held === 3) waiting.resolve();
			await release.promise;
		},
	};
	const settings = { environment: 'sandbox', relay: { allowPrivate: true }, routes: { folders: folder } } as never;
	const asked = await askForRun(parts, row, 'hand');
	await runStore(parts.database.knex).take(asked, { daemonId: 'test', leaseUntil: Date.now() + 60_000 });
	let isOver = false;
	const run = carryOut(routeParts(opened as never, settings), asked, 'test', lost.signal).finally(() => {
		isOver = true;
	});
	run.catch(() => {});
	await until('the run to be lost', () => lost.signal.aborted || isOver);
	await sleep(300);
	t.false(isOver);
	release.resolve();
	await t.throwsAsync(run, { name: 'RunLostError' });
});
