// Tests that a file which changes between its listing and its reading is left, and comes as a whole at a later run.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { routeParts } from '../../src/installation/opening/route-parts.ts';
import { askForRun } from '../../src/work/routes/runs/begin-runs.ts';
import { carryOut } from '../../src/work/routes/runs/carry-out.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';

test('a file that grows after it was listed is left, and the next run takes the whole of it', async (t) => {
	const folder = makeFolder(t);
	for (const each of ['out', 'in']) mkdirSync(join(folder, each));
	const file = join(folder, 'out', 'may.csv');
	writeFileSync(file, 'half');
	const parts = await openHttpApp(t, 'sqlite', { folders: [folder] });
	const { account } = await parts.createCaller('agency');
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	const from = { folder, path: 'out', ready: { unchanged: '0s' }, afterwards: 'delete' };
	const document = JSON.stringify({ name: 'r', from, do: { operation: 'none' }, to: { folder, path: 'in' } });
	const { row } = await parts.routes.put(owner, await parts.routes.read(owner, document), 'operator test');
	let grows = 1;
	const begin = parts.drops.begin.bind(parts.drops);
	parts.drops.begin = async (upload) => {
		// The file is read as soon as there is a place for it.
		if (grows-- > 0) appendFileSync(file, ' and half');
		return begin(upload);
	};
	const opened = { ...parts, messages: undefined as never, logger: { info() {}, warn() {}, error() {} } };
	const settings = { environment: 'sandbox', relay: { allowPrivate: true }, routes: { folders: folder } } as never;
	const run = async () => {
		const asked = await askForRun(parts, row, 'hand');
		await runStore(parts.database.knex).take(asked, { daemonId: 'test', leaseUntil: Date.now() + 60_000 });
		await carryOut(routeParts(opened as never, settings), asked, 'test', new AbortController().signal);
		return (await runStore(parts.database.knex).listFiles([asked.id])).map(({ state, reason }) => [state, reason]);
	};
	t.deepEqual(await run(), [['skipped', 'it changed after it was listed']]);
	t.deepEqual(readdirSync(join(folder, 'in')), []);
	t.is(readFileSync(file, 'utf8'), 'half and half', 'nothing is removed at the source');
	t.deepEqual(await run(), [['delivered', null]]);
	t.is(readFileSync(join(folder, 'in', 'may.csv'), 'utf8'), 'half and half');
	t.deepEqual(readdirSync(join(folder, 'out')), []);
	const ledger = await parts.database.knex('route_files').where({ route_id: row.id });
	t.deepEqual(
		ledger.map(({ path, size, state }) => [path, size, state]),
		[['may.csv', 13, 'done']],
	);
});
