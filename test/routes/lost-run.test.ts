// Tests that a run which is lost is over only when none of its files is under way any more, and what the next one does with
// them.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { routeParts } from '../../src/installation/opening/route-parts.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { ledgerStore } from '../../src/work/routes/ledger/ledger-store.ts';
import { askForRun } from '../../src/work/routes/runs/begin-runs.ts';
import { carryOut } from '../../src/work/routes/runs/carry-out.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { until } from '../helpers/until.ts';

/** More files than are under way at once. */
const NAMES = ['a.csv', 'b.csv', 'c.csv', 'd.csv', 'e.csv', 'f.csv'];

/** Makes a route between two folders of the server, the first of which has files of 0 bytes. */
async function openRoute(t: ExecutionContext, names: readonly string[], empty: 'process' | 'alarm') {
	const folder = makeFolder(t);
	for (const each of ['out', 'in']) mkdirSync(join(folder, each));
	// Empty files are never in the middle of their content.
	for (const name of names) writeFileSync(join(folder, 'out', name), '');
	const parts = await openHttpApp(t, 'sqlite', { folders: [folder] });
	const { account } = await parts.createCaller('agency');
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	const from = { folder, path: 'out', ready: { unchanged: '0s', empty } };
	const work = { operation: 'tokenize', filter: 'SIMPLECSV' };
	const document = JSON.stringify({ name: 'r', from, do: work, to: { folder, path: 'in' } });
	const { row } = await parts.routes.put(owner, await parts.routes.read(owner, document), 'operator test');
	parts.clock.turn(Date.now() - parts.clock.now().getTime() + 60_000);
	const settings = { environment: 'sandbox', relay: { allowPrivate: true }, routes: { folders: folder } } as never;
	return { folder, parts, row, settings };
}

test('a run that is lost while files are under way waits for them, so that nobody takes them a second time', async (t) => {
	const { parts, row, settings } = await openRoute(t, NAMES, 'process');
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

test('a file of 0 bytes that raises an alarm is given up by the next run if this one ends in between', async (t) => {
	const { folder, parts, row, settings } = await openRoute(t, ['a.csv'], 'alarm');
	let losses = 0;
	const opened = {
		...parts,
		messages: undefined as never,
		async processJob() {
			await runNextJob(parts);
		},
		audit: {
			...parts.audit,
			async record(...[entry, transaction]: Parameters<typeof parts.audit.record>) {
				if (entry.action === 'route.file_dead' && losses++ === 0) throw new Error('the daemon ends here');
				await parts.audit.record(entry, transaction);
			},
		},
		logger: { info() {}, warn() {}, error() {} },
	};
	for (const state of ['claimed', 'dead']) {
		const asked = await askForRun(parts, row, 'hand');
		await runStore(parts.database.knex).take(asked, { daemonId: 'test', leaseUntil: Date.now() + 60_000 });
		await carryOut(routeParts(opened as never, settings), asked, 'test', new AbortController().signal);
		t.like(await ledgerStore(parts.database.knex).list(row.id, { limit: 1 }), [{ state, reason: 'it has 0 bytes' }]);
		t.deepEqual(readdirSync(join(folder, 'in')), []);
	}
});
