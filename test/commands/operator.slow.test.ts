// Those tests of operator.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { compileCache } from '../helpers/compile-cache.ts';
import { dialects } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openInstallation } from '../helpers/operator-commands.ts';
import { makePlainPerson, startAgent } from '../helpers/ssh-people.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

for (const dialect of dialects) {
	test(`from the first operator on, commands ask who runs them, and the trail names them (${dialect})`, async (t) => {
		const { run, as, addByKey, addByToken, entries } = await openInstallation(t, dialect);
		const alice = await addByKey('alice', 'keys');
		await addByToken('olivia', 'operate', 'alice');
		await addByToken('victor', 'view', 'alice');

		t.like(await run('account', 'list'), { code: 77, json: { error: { reason: 'operator-required' } } });
		t.like(await run('account', 'list', '--as', 'nobody'), {
			code: 77,
			json: { error: { reason: 'operator-refused' } },
		});
		t.is((await as('victor')('account', 'list')).code, 0);
		const refused = await as('victor')('account', 'create', '--user-id', 'agency');
		t.like(refused, { code: 77, json: { error: { reason: 'operator-refused' } } });
		t.regex(refused.stderr, /account create needs the role operate; operator victor has view/);
		t.is((await as('olivia')('account', 'create', '--user-id', 'agency')).code, 0);
		t.is((await as('olivia')('key', 'rotate')).code, 77);
		t.is((await as('alice')('key', 'rotate')).code, 0);
		t.is((await as('alice')('operator', 'remove', 'victor')).code, 0);
		t.is((await as('victor')('account', 'list')).code, 77);

		t.is((await entries('account.create')).at(-1)!.actor, 'operator olivia');
		t.is((await entries('key.rotate')).at(-1)!.actor, 'operator alice');
		const runs = await entries('command.run');
		t.deepEqual([runs.at(-1)!.actor, runs.at(-1)!.subject], ['operator alice', 'command operator remove']);
		t.is(runs.at(-1)!.details.key, alice.publicKey.fingerprint);
		const refusals = (await entries('command.refuse')).map(({ subject, details }) => [subject, details.as]);
		t.deepEqual(refusals.slice(0, 3), [
			['command account list', null],
			['command account list', 'nobody'],
			['command account create', 'victor'],
		]);
		t.false(JSON.stringify(refusals).includes('td_operator_'));
	});
}

testNeeding('OpenSSH (openssh-client)')('ssh-agent signs, the settings say who, and what is typed wins', async (t) => {
	const { run, addByKey, addByToken, folder, variables } = await openInstallation(t);
	const alice = await addByKey('alice', 'keys');
	const token = await addByToken('olivia', 'operate', 'alice');
	t.regex(token.json.token, /^td_operator_[\w-]{43}$/);
	const socket = await startAgent(t, alice);
	const tokendrop = (env: Record<string, string>, ...argv: string[]) =>
		spawnSync(process.execPath, [MAIN, ...argv, '--json'], {
			env: { ...variables, TOKENDROP_DATA_DIR: folder, PATH: process.env.PATH, ...compileCache, ...env },
			encoding: 'utf8',
			input: `${token.json.token}\n`,
		});
	const withAgent = { SSH_AUTH_SOCK: socket, TOKENDROP_OPERATOR_NAME: 'alice' };
	t.is(tokendrop(withAgent, 'account', 'list').status, 0);
	t.is(tokendrop({ SSH_AUTH_SOCK: socket }, 'account', 'list').status, 77);
	t.is(tokendrop({ TOKENDROP_OPERATOR_NAME: 'alice' }, 'account', 'list').status, 77);
	const other = makePlainPerson(t).file;
	t.regex(tokendrop(withAgent, 'account', 'list', '--identity-file', other).stderr, /not the key of the operator/);
	// The token is read from standard input, so that it stands in no list of processes.
	t.is(tokendrop({}, 'account', 'list', '--as', 'olivia', '--token-file', '-').status, 0);
	t.is(tokendrop({}, 'account', 'list', '--as', 'alice', '--token-file', '-').status, 77);
	const wrong = join(makeFolder(t), 'token');
	writeFileSync(wrong, `td_operator_${'x'.repeat(43)}`);
	t.regex((await run('account', 'list', '--as', 'olivia', '--token-file', wrong)).stderr, /token is not that of/);
});

test('an API key is no operator, whatever stands in the row', async (t) => {
	const { run, addByToken, database, folder } = await openInstallation(t);
	const { apiKey } = (await run('account', 'create', '--user-id', 'agency')).json;
	await addByToken('alice', 'keys');
	const { hash } = await database.knex('api_keys').first();
	await database.knex('operators').update({ token_hash: hash });
	const file = join(folder, 'key');
	writeFileSync(file, apiKey);
	const given = await run('account', 'list', '--as', 'alice', '--token-file', file);
	t.like(given, { code: 77, json: { error: { reason: 'operators-altered' } } });
	t.is((await run('operator', 'list')).code, 77);
	t.like(await run('audit', 'verify'), { code: 0, json: { isWhole: true } });
});

for (const dialect of dialects) {
	test(`card numbers come back by hand for two people together (${dialect})`, async (t) => {
		const { run, as, addByToken, addByKey, entries, folder } = await openInstallation(t, dialect);
		await run('account', 'create', '--user-id', 'agency');
		const [clear, tokens, back] = ['clear.csv', 'tokens.csv', 'back.csv'].map((name) => join(folder, name));
		writeFileSync(clear, 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n');
		const named = ['--user-id', 'agency', '--filter', 'SIMPLECSV'];
		t.is((await run('file', 'tokenize', ...named, clear, tokens)).code, 0);
		const detokenize = ['file', 'detokenize', ...named, tokens, back];

		await addByToken('alice', 'keys');
		t.is((await as('alice')(...detokenize)).code, 0, 'alone, nobody else can be asked');
		await addByKey('olivia', 'operate', 'alice');
		const before = readFileSync(tokens);
		writeFileSync(back, 'nothing yet');
		const alone = await as('olivia')(...detokenize);
		t.like(alone, { code: 77, json: { error: { reason: 'approval-required' } } });

		const asked = await as('olivia')(...detokenize, '--request');
		t.like(asked.json, { requestedBy: 'olivia' });
		t.regex(asked.json.command, /^file detokenize --filter SIMPLECSV --user-id agency .*tokens\.csv .*back\.csv \(in /);
		t.is(readFileSync(back, 'utf8'), 'nothing yet');
		t.is((await as('olivia')(...detokenize)).code, 77, 'asked for, not approved');
		t.is((await as('olivia')('approve', asked.json.id)).code, 77);
		t.deepEqual((await as('alice')('approval', 'list')).json[0].id, asked.json.id);
		t.is((await as('alice')('approve', asked.json.id)).json.approvedBy, 'alice');

		t.is((await as('olivia')(...detokenize.with(-1, `${back}.other`))).code, 77, 'another argument');
		t.is((await as('alice')(...detokenize)).code, 77, 'another person');
		writeFileSync(tokens, Buffer.concat([before, Buffer.from('\n')]));
		t.is((await as('olivia')(...detokenize)).code, 77, 'another content');
		writeFileSync(tokens, before);
		t.is((await as('olivia')(...detokenize)).code, 0);
		t.true(readFileSync(back, 'utf8').includes('4111111111111111'));
		t.is((await as('olivia')(...detokenize)).code, 77, 'a second time');

		const [request, give, use] = await Promise.all(
			['request', 'give', 'use'].map((step) => entries(`approval.${step}`)),
		);
		t.deepEqual([request.length, give.length, use.length], [1, 1, 1]);
		t.is(new Set([request, give, use].map(([entry]) => entry.details.hash)).size, 1);
		t.deepEqual([request[0].actor, give[0].actor], ['operator olivia', 'operator alice']);
		t.is(use[0].details.approvedBy, 'alice');
		t.is((await entries('file.detokenize')).at(-1)!.actor, 'operator olivia');
	});
}

test('the root key and the operators themselves need two people with the role keys', async (t) => {
	const { as, addByToken, withApproval, folder } = await openInstallation(t);
	await addByToken('alice', 'keys');
	await addByToken('olivia', 'operate', 'alice');
	const newKey = join(folder, 'new.key');
	const replace = ['key', 'rotate', '--purpose', 'root', '--new-master-key-file', newKey];
	await addByToken('bob', 'keys', 'alice');
	for (const words of [
		replace,
		['operator', 'add', 'sock', '--role', 'keys', '--token'],
		['operator', 'remove', 'bob'],
		['account', 'create', '--user-id', 'x', '--permissions', 'all'],
	]) {
		t.like(
			await as('alice')(...words),
			{ code: 77, json: { error: { reason: 'approval-required' } } },
			words.join(' '),
		);
	}
	t.false(existsSync(newKey));
	t.is((await as('alice')('key', 'rotate', '--request')).code, 64, 'what needs nobody cannot be asked for');
	const { id } = (await as('alice')(...replace, '--request')).json;
	t.is((await as('olivia')('approve', id)).code, 77, 'operate is not enough');
	t.is((await withApproval('alice', 'bob', ...replace)).code, 0);
	t.true(existsSync(newKey));
	t.is((await withApproval('alice', 'bob', 'operator', 'remove', 'olivia')).code, 0);
	t.is((await as('alice')('operator', 'list')).json.length, 3);
	t.is((await as('bob')('operator', 'roles')).json.length, Object.keys(commandRules).length);
});

test('an installation that lost its last operator starts anew with the master key', async (t) => {
	const { run, as, addByToken, folder, entries, variables } = await openInstallation(t);
	await addByToken('alice', 'keys');
	const recover = (input: string) =>
		spawnSync(process.execPath, [MAIN, 'operator', 'recover', '--json'], {
			env: { ...variables, TOKENDROP_DATA_DIR: folder, PATH: process.env.PATH, ...compileCache },
			encoding: 'utf8',
			input,
		});
	for (const wrong of ['', 'ff'.repeat(32), 'nonsense']) t.is(recover(wrong).status, 1);
	t.is((await run('account', 'list')).code, 77);
	const done = recover(readFileSync(join(folder, 'master.key'), 'utf8'));
	t.is(done.status, 0, done.stderr);
	t.deepEqual(JSON.parse(done.stdout), { removed: 1 });
	t.is((await entries('operator.recover')).length, 1);
	t.is((await run('account', 'list')).code, 0);
	t.is((await as('alice')('account', 'list')).code, 0, 'nobody is asked for');
	await addByToken('carol', 'keys');
	t.is((await as('alice')('account', 'list')).code, 77);
	t.true((await as('carol')('audit', 'verify')).json.isWhole);
	// This name holds a character that some readers take for the end of a line.
	t.is((await run('account', 'list', '--as', 'x\u2028y')).code, 77);
	const exported = join(folder, 'trail.jsonl');
	t.is((await as('carol')('audit', 'export', exported)).code, 0);
	t.like(await as('carol')('audit', 'verify', '--file', exported), {
		code: 0,
		json: { isWhole: true, isProven: true },
	});
});
