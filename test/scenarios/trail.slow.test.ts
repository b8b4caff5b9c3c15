// Checks the audit trail of a running daemon, and what shows that it was wiped.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/base/database/open.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { entriesOf } from '../helpers/trail-export.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

sshTest('trail, head and key of the trail wiped beside a stopped daemon: audit verify says what is gone', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	const door = demoDoor(installation, daemon);
	t.is((await opensshSftp(door, ['ls /'])).code, 0);
	t.is((await opensshSftp({ ...door, password: 'wrong' }, ['ls /'])).code, 255);
	const call = (headers: Record<string, string>) => fetch(`${daemon.baseUrl}/api/jobs`, { headers });
	t.is((await call({})).status, 401, 'nothing was tried');
	t.is((await call({ authorization: 'APIKEY wrong' })).status, 401);
	const { demo } = installation;
	const made = await installation.json('api-key', 'create', '--user-id', demo.userId);
	const { id } = (await installation.json('api-key', 'list', '--user-id', demo.userId)).at(-1);
	await installation.json('api-key', 'revoke', '--user-id', demo.userId, '--id', String(id));
	t.is((await call({ authorization: `APIKEY ${made.apiKey}` })).status, 401);
	t.is(await daemon.stop(), 0);
	const whole = await installation.json('audit', 'verify');
	t.like(whole, { isWhole: true, problems: [] });
	const exported = join(installation.folder, 'trail.jsonl');
	await installation.json('audit', 'export', exported);
	const entries = entriesOf(readFileSync(exported, 'utf8'));
	t.like(entries[0], { action: 'installation.create', actor: 'daemon' });
	const [login, failed] = ['sftp.login', 'login.failed'].map((action) =>
		entries.find((each) => each.action === action),
	);
	t.regex(login.details.credential, /^api-key \d+$/);
	const httpFailures = entries
		.filter(({ details }) => details.door === 'http')
		.map(({ details }) => details.credential);
	t.deepEqual(httpFailures, [null, `api-key ${id}`]);
	const actions = entries.map(({ action }) => action);
	t.deepEqual(actions.slice(-2), ['daemon.stop', 'audit.export']);
	const start = entries.find(({ action }) => action === 'daemon.start');
	t.is(start.details.dataDir, installation.dataDir);
	t.false('sftp.maxSessions' in start.details, 'which is the default');
	t.like(failed.details, { address: '127.0.0.1', method: 'password', reason: 'wrong credential' });
	const file = join(installation.dataDir, 'audit-heads.jsonl');
	t.is(JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!).entries, whole.entries);

	const database = await openDatabase({ url: `sqlite:${join(installation.dataDir, 'tokendrop.sqlite')}` });
	for (const table of ['audit', 'audit_head', 'audit_notes']) await database.knex(table).delete();
	await database.knex('keys').where({ purpose: 'audit' }).delete();
	await database.close();
	const { code, stdout } = await installation.command('audit', 'verify');
	t.is(code, 1);
	const verdict = JSON.parse(stdout);
	t.like(verdict, { isWhole: false, brokenAt: 1, reason: 'restarted' });
	t.true(
		verdict.problems.some((problem: string) => problem.includes(`had ${whole.entries} entries`)),
		stdout,
	);
	t.is(await (await installation.start()).stop(), 0);
	t.is((await installation.command('audit', 'verify')).code, 1, 'and a start heals nothing');
});
