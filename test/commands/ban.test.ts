import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { type Door, scoreStore } from '../../src/base/defender/score-store.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('bans are listed, the latest first, and lifted by any spelling of an address; the trail says who did', async (t) => {
	const run = openCommandRunner(t);
	t.deepEqual((await run('ban', 'list')).json, []);
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	const nowMs = Date.now();
	const ban = async (door: Door, address: string, agoMs: number, forMs: number) =>
		scoreStore(database.knex).add(
			door,
			[{ address, points: 5, sinceMs: nowMs, bannedUntilMs: nowMs - agoMs + forMs }],
			{
				nowMs: nowMs - agoMs,
				windowMs: 600_000,
			},
		);
	await ban('sftp', '192.0.2.1', 3000, 60_000);
	await ban('http', '192.0.2.1', 2000, 60_000);
	await ban('sftp', '2001:db8:0:0::/64', 1000, 60_000);
	await ban('sftp', '192.0.2.9', 5000, 4000);
	await database.close();

	const { json } = await run('ban', 'list');
	t.deepEqual(
		json.map(({ address, door }: Record<string, string>) => `${door} ${address}`),
		['sftp 2001:db8:0:0::/64', 'http 192.0.2.1', 'sftp 192.0.2.1'],
	);
	t.is(json[0].since, new Date(nowMs - 1000).toISOString());
	t.is(json[0].until, new Date(nowMs + 59_000).toISOString());

	t.deepEqual((await run('ban', 'lift', '--address', '2001:db8::77')).json.lifted, ['sftp']);
	t.deepEqual((await run('ban', 'lift', '--address', '192.0.2.1')).json.lifted.sort(), ['http', 'sftp']);
	t.deepEqual((await run('ban', 'lift', '--address', '192.0.2.1')).json.lifted, []);
	t.deepEqual((await run('ban', 'list')).json, []);
	t.is((await run('ban', 'lift')).code, 64);
	t.is((await run('audit', 'verify')).code, 0);
	const trail = join(run.dataDir, 'trail.jsonl');
	t.is((await run('audit', 'export', trail)).code, 0);
	t.is(readFileSync(trail, 'utf8').match(/ban\.lift/g)?.length, 2);
});

test('addresses are allowed for everybody or for one account, and that is audited', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	t.true((await run('ban', 'allow', '--address', '192.0.2.0/24')).json.isChanged);
	t.true((await run('ban', 'allow', '--address', '192.0.2.0/24', '--user-id', 'agency')).json.isChanged);
	t.false((await run('ban', 'allow', '--address', '192.0.2.0/24', '--user-id', 'agency')).json.isChanged);
	const { json } = await run('ban', 'allowed');
	const allowedFor = json.map(({ range, userId }: Record<string, string>) => `${range} ${userId}`);
	t.deepEqual(allowedFor.sort(), ['192.0.2.0/24 agency', '192.0.2.0/24 null']);
	t.true((await run('ban', 'disallow', '--address', '192.0.2.0/24')).json.isChanged);
	t.is((await run('ban', 'allowed')).json.length, 1);
	t.is((await run('ban', 'allow', '--address', '192.0.2.0/33')).code, 64);
	t.is((await run('ban', 'allow', '--address', '192.0.2.1', '--user-id', 'nobody')).code, 1);
	const trail = join(run.dataDir, 'trail.jsonl');
	await run('audit', 'export', trail);
	t.is(readFileSync(trail, 'utf8').match(/ban\.(dis)?allow/g)?.length, 3);
});
