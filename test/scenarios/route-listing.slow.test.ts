// A folder of 100,000 names at a partner, of which few are new.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { openSftpSession } from '../../src/base/outbound/sftp/sftp-client.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { parseRoute } from '../../src/work/routes/document/read-route.ts';
import { survey } from '../../src/work/routes/ledger/survey.ts';
import { sftpEnd } from '../../src/work/routes/places/sftp-end.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { startPartner } from '../helpers/sftp-partner.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const NAMES = 100_000;
const MUST_MS = 20_000;
/** How far the memory in use may rise; garbage that waits to be collected is not counted. */
const MUST_BYTES = 50 * 1024 * 1024;

test('100,000 names, ten of them new, are listed in time and in little memory', async (t) => {
	const partner = await startPartner(t);
	const folder = join(partner.folder, 'many');
	mkdirSync(folder);
	for (let nth = 0; nth < NAMES; nth++) writeFileSync(join(folder, `statement-${nth}.csv`), 'x');
	const { port, userName, keys, hostKeys } = partner;
	const login = {
		host: '127.0.0.1',
		port,
		userName,
		hostKeys: [hostKeys.ed25519],
		privateKey: new Secret(keys.ed25519),
	};
	const session = await openSftpSession(login, { resolve: async () => [{ address: '127.0.0.1', family: 4 }] as never });
	t.teardown(() => session.end());
	const database = await openTestDatabase(t, 'sqlite');
	const document = {
		from: { destination: 'a', ready: { unchanged: '0s' } },
		do: { operation: 'none' },
		to: { destination: 'b' },
	};
	const route = parseRoute(JSON.stringify({ name: 'n', ...document }));
	const look = (now: number) => survey(sftpEnd(session, 'many', {}), route, { database, routeId: 'r', now });
	t.is((await look(Date.now())).ready.length, NAMES);
	await database.knex('route_files').update({ state: 'done' });
	for (let nth = 0; nth < 10; nth++) writeFileSync(join(folder, `new-${nth}.csv`), 'x');

	// The time is measured apart, because collecting garbage all the time takes most of the processor.
	const startedAt = performance.now();
	const first = await look(Date.now());
	const took = performance.now() - startedAt;

	collectGarbage();
	const before = process.memoryUsage();
	let highest = 0;
	const watch = setInterval(() => {
		collectGarbage();
		const { heapUsed, external } = process.memoryUsage();
		highest = Math.max(highest, heapUsed + external - before.heapUsed - before.external);
	}, 50);
	const second = await look(Date.now());
	clearInterval(watch);
	t.log(`${Math.round(took)} ms, ${Math.round(highest / 1024 / 1024)} MB above idle`);
	for (const { ready, listed } of [first, second]) {
		t.is(listed, NAMES + 10);
		t.deepEqual(
			ready.map(({ path }) => path),
			Array.from({ length: 10 }, (_, nth) => `new-${nth}.csv`),
		);
	}
	t.true(took < MUST_MS, `${took} ms`);
	t.true(highest < MUST_BYTES, `${highest} bytes`);
});
