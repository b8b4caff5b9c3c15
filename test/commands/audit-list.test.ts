// Checks `audit list`: which options select which entries, in which forms, and what is refused.

import { join } from 'node:path';
import { Writable } from 'node:stream';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { writeTrail } from '../../src/installation/files/trail-listing.ts';
import { openAudit } from '../../src/trail/audit.ts';
import type { AuditEntry } from '../../src/trail/entry.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

const TOKEN = 'a054d362051545afd3f6f25107776579';

/** Opens the trail of the installation beside the commands. */
async function withTrail<T>(
	run: CommandRunner,
	work: (parts: Pick<Parameters<typeof writeTrail>[0], 'database' | 'audit' | 'keyRing'>) => Promise<T>,
): Promise<T> {
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	try {
		const root = openFileRootKey(join(run.dataDir, 'master.key'));
		const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
		return await work({ database, keyRing, audit: await openAudit({ database, keyRing }) });
	} finally {
		await database.close();
	}
}

function record(run: CommandRunner, ...entries: AuditEntry[]): Promise<void> {
	return withTrail(run, async ({ audit }) => {
		for (const entry of entries) await audit.record(entry);
	});
}

test('entries are listed by token, account, person, kind and day, page by page', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	await run('portal-user', 'add', 'Maria@agency.example', '--user-id', 'agency', '--role', 'clerk');
	const maria = { userId: 'agency', credential: 'portal-user 1', person: 'maria@agency.example', address: '192.0.2.1' };
	await record(
		run,
		{ actor: { userId: 'agency', credential: 'api-key 1' }, action: 'card.store', subject: `token ${TOKEN}` },
		{ actor: maria, action: 'card.delete', subject: `token ${TOKEN}` },
		{ actor: maria, action: 'file.download', subject: 'job 01a', details: { name: '=may.csv' } },
	);
	const listed = async (...options: string[]) => {
		const { json } = await run('audit', 'list', ...options);
		return json.entries.map(({ action }: { action: string }) => action);
	};
	t.deepEqual(await listed('--token', TOKEN.toUpperCase()), ['card.delete', 'card.store']);
	t.deepEqual(await listed('--token', TOKEN, '--person', 'maria@AGENCY.example'), ['card.delete']);
	t.deepEqual(await listed('--person', 'maria@agency.example'), [
		...['file.download', 'card.delete', 'portal-user.link', 'portal-user.add'],
	]);
	t.deepEqual(await listed('--api-key', '1', '--kind', 'card'), ['card.store']);
	t.deepEqual(await listed('--user-id', 'agency', '--kind', 'file.download,card.store'), [
		'file.download',
		'card.store',
	]);
	t.deepEqual(await listed('--kind', 'card', '--to', '2020-01-01'), []);
	t.deepEqual(await listed('--kind', 'card', '--from', '2020-01-01'), ['card.delete', 'card.store']);
	const [first] = (await run('audit', 'list', '--kind', 'card', '--limit', '1')).json.entries;
	t.is(first.origin.person, 'maria@agency.example');
	t.deepEqual(await listed('--kind', 'card', '--before', String(first.seq)), ['card.store']);
	const { stdout } = await run.text('audit', 'list', '--token', TOKEN, '--limit', '1');
	t.regex(stdout, /agency +maria@agency\.example portal-user 1 192\.0\.2\.1 +card\.delete/);
	t.regex(stdout, /1 of 2 entries\.\nOlder ones: --before \d+\n$/);
	t.regex((await run.text('audit', 'list', '--job', 'none')).stdout, /No entry fits\.\n0 of 0 entries\./);
	await run('portal-user', 'remove', 'maria@agency.example');
	t.deepEqual((await listed('--person', 'maria@agency.example')).slice(0, 1), ['portal-user.remove']);
	t.is((await run('audit', 'verify')).code, 0);
});

test('asking is recorded under the name of the operator, and a card number is not', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	t.is((await run('audit', 'list', '--token', TOKEN)).code, 0);
	for (const options of [
		['--token', '4111111111111111'],
		['--file', 'of 4111 1111 1111 1111.csv'],
		['--person', '4111-1111-1111-1111'],
		['--user-id', '4111111111111111'],
	]) {
		const { code, stderr } = await run('audit', 'list', ...options);
		t.is(code, 1, options.join(' '));
		t.notRegex(stderr, /4111/, options.join(' '));
	}
	const { json } = await run('audit', 'list', '--kind', 'audit.read');
	const told = json.entries.map(({ actor, details }: { actor: string; details: object }) => [
		actor.split(' ')[0],
		details,
	]);
	t.deepEqual(told, [
		['operator', { kinds: 'audit.read' }],
		['operator', { about: `token ${TOKEN}` }],
	]);
});

test('what cannot be asked together is refused', async (t) => {
	const run = openCommandRunner(t);
	for (const options of [
		['--token', TOKEN, '--job', '01a'],
		['--user-id', 'agency', '--operator', 'olivia'],
		['--person', 'nobody@example.org'],
	])
		t.is((await run('audit', 'list', ...options)).code, 1, options.join(' '));
	for (const options of [['--csv'], ['--before', '3', '--after', '1'], ['--from', '2026-02-30']])
		t.is((await run('audit', 'list', ...options)).code, 64, options.join(' '));
});

test('CSV has every entry that fits, and no cell of it is a formula', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const note = (n: number): AuditEntry => ({
		actor: '=agency',
		action: 'test.note',
		subject: `note ${n}`,
		details: { n },
	});
	await withTrail(run, async (parts) => {
		await parts.database.knex.transaction((transaction) =>
			parts.audit.recordAll(
				Array.from({ length: 1_200 }, (_, n) => note(n)),
				transaction,
			),
		);
		let text = '';
		const sink = new Writable({
			write(chunk, _encoding, done) {
				text += chunk;
				done();
			},
		});
		await writeTrail({ ...parts, actor: 'operator test' }, { kind: 'test' }, sink);
		const lines = text.trimEnd().split('\n');
		t.is(lines[0], 'number,at,actor,person,credential,address,call,action,subject,details');
		t.is(lines.length, 1_201);
		t.regex(lines[1], /^\d+,2\d{3}-.*Z,'=agency,,,,,test\.note,note 1199,"\{""n"":1199\}"$/);
		t.regex(lines[1_200], /note 0,/);
	});
});
