import test from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { listCommands } from '../helpers/command-list.ts';
import { openInstallation } from '../helpers/operator-commands.ts';

test('every command of the command line stands in the table of roles', async (t) => {
	const commands = await listCommands();
	t.true(commands.length > 40);
	t.deepEqual(
		commands.filter((command) => !Object.hasOwn(commandRules, command)),
		[],
	);
});

test('until there is an operator nobody is asked for, and the user of the system is named', async (t) => {
	const { run, entries } = await openInstallation(t);
	t.is((await run('account', 'create', '--user-id', 'agency')).code, 0);
	t.deepEqual((await run('operator', 'list')).json, []);
	t.deepEqual(await entries('command.run'), []);
	const created = await entries('account.create');
	t.regex(created.at(-1)!.actor, /^operator /);
	t.is((await run('operator', 'add', 'viewer', '--role', 'view', '--token')).code, 1);
	t.is((await run('operator', 'list', '--request')).code, 64);
});

test('the secret of a key that lets numbers out is replaced by two people, that of another key by one', async (t) => {
	const { as, addByToken, withApproval, entries } = await openInstallation(t);
	await addByToken('alice', 'keys');
	await addByToken('olivia', 'operate', 'alice');
	const create = ['account', 'create', '--user-id', 'acme', '--permissions', 'Tokenize,DisplayCard'];
	t.is((await withApproval('olivia', 'alice', ...create)).code, 0);
	const rotate = ['api-key', 'rotate', '--user-id', 'acme'];
	const alone = await as('olivia')(...rotate);
	t.is(alone.code, 77);
	t.deepEqual(await entries('api-key.rotate'), []);
	t.is((await withApproval('olivia', 'alice', ...rotate)).code, 0);
	t.is((await entries('api-key.rotate')).length, 1);
	t.is((await as('olivia')('api-key', 'create', '--user-id', 'acme', '--permissions', 'Tokenize')).code, 0);
	const keys = (await as('olivia')('api-key', 'list', '--user-id', 'acme')).json as {
		id: number;
		permissions: string[];
	}[];
	const { id } = keys.find(({ permissions }) => !permissions.includes('DisplayCard'))!;
	t.is((await as('olivia')(...rotate, '--id', String(id))).code, 0);
	t.is((await as('olivia')('api-key', 'rotate', '--user-id', 'nobody')).code, 1);
});
