import { join } from 'node:path';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { userKey } from '../../src/base/defender/login-guard.ts';
import { scoreStore } from '../../src/base/defender/score-store.ts';
import { auditStore } from '../../src/trail/audit-store.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('logins of an account are listed, the latest first, with why they failed and where it is shut out', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	const [like] = await auditStore(database.knex).listAfter(0, 1);
	const entries = [
		['sftp.login', 'account agency', { address: '192.0.2.1', method: 'api-key', credential: 'api-key 1' }],
		[
			'login.failed',
			'account agency',
			{ door: 'sftp', address: '192.0.2.1', method: 'password', reason: 'shut out', credential: null, count: 1 },
		],
		['login.failed', 'account unknown', { door: 'http', address: '192.0.2.9', count: 7 }],
		['api-key.create', 'account agency', {}],
	] as const;
	for (const [index, [action, subject, details]] of entries.entries()) {
		const row = { ...like, seq: 1000 + index, at: 1000 + index, action, subject, details: JSON.stringify(details) };
		await database.knex('audit').insert(row);
	}
	const nowMs = Date.now();
	const ban = { address: userKey('192.0.2.1', 'agency'), points: 5, sinceMs: nowMs, bannedUntilMs: nowMs + 60_000 };
	await scoreStore(database.knex).add('sftp', [ban], { nowMs, windowMs: 600_000 });
	await database.close();

	const { json } = await run('login', 'list', '--account', 'agency');
	t.deepEqual(
		json.logins.map(({ outcome, address, count }: Record<string, string>) => [outcome, address, count]),
		[
			['shut out', '192.0.2.1', 1],
			['logged in', '192.0.2.1', 1],
		],
	);
	t.deepEqual(json.shutOut, [{ address: '192.0.2.1', until: new Date(nowMs + 60_000).toISOString() }]);
	t.is((await run('login', 'list', '--account', 'agency', '--limit', '1')).json.logins.length, 1);
	t.is((await run('login', 'list', '--account', 'nobody')).code, 1);
	t.deepEqual((await run('ban', 'lift', '--address', '192.0.2.1')).json.lifted, ['sftp']);
	t.deepEqual((await run('login', 'list', '--account', 'agency')).json.shutOut, []);
});
