import { type Command, Option } from 'commander';
import {
	type CommandContext,
	type Frame,
	readOptionFile,
	STANDARD_INPUT,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { Operator } from '../../people/operators/operators.ts';
import type { Role } from '../../people/operators/roles.ts';

interface AddOptions {
	readonly role: Role;
	readonly sshKeyFile?: string;
	readonly token?: boolean;
}

/** Registers `operator add|list|remove|roles|recover`, for the people who run commands. */
export function register(program: Command, frame: Frame): void {
	const group = program.command('operator').description('the people who run these commands, and what they may');
	group
		.command('add')
		.description('from the first one on, every command asks who runs it')
		.argument('<name>', 'a-z, 0-9 and . _ -; never given twice')
		.addOption(
			new Option('--role <role>', 'what they may; see roles')
				.choices(['view', 'operate', 'keys'])
				.makeOptionMandatory(),
		)
		.option('--ssh-key-file <file>', 'their OpenSSH public key, as in id_ed25519.pub')
		.option('--token', 'make a token for them instead, which is shown this once')
		.action(frame.action<AddOptions>((context, options, name) => add(context, options, name!)));
	group.command('list').description('everybody there is and was, oldest first').action(frame.action(list));
	group
		.command('remove')
		.description('they can run nothing any more; their name is not given again')
		.argument('<name>', 'the operator')
		.action(
			frame.action(async (context, _options, name) => {
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { operators, actor } = await openCommandParts(context);
				await operators.remove(name!, actor);
				context.output.show({ name, removed: true }, `Operator ${name} is removed.`);
			}),
		);
	group
		.command('roles')
		.description('which role every command needs, and which need a second person')
		.action(frame.action(showRoles));
	group
		.command('recover')
		.description('remove every operator, by the master key on standard input: for when nobody can add another')
		.action(frame.action(recover));
}

async function add(context: CommandContext, { role, sshKeyFile, token }: AddOptions, name: string): Promise<void> {
	if ((sshKeyFile === undefined) === (token === undefined)) throw new UsageError('give --ssh-key-file or --token');
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const sshKey = sshKeyFile === undefined ? undefined : await readOneKey(sshKeyFile);
	const { operators, actor } = await openCommandParts(context);
	const added = await operators.add({ name, role, sshKey }, actor);
	const secret = added.token?.reveal();
	const lines = [`Operator ${name} has the role ${role} and the key ${added.operator.fingerprint}.`];
	if (secret !== undefined) lines.push(`token  ${secret}`, 'The token is not shown again.');
	context.output.show(
		{ ...shown(added.operator), ...(secret === undefined ? {} : { token: secret }) },
		lines.join('\n'),
	);
}

async function readOneKey(path: string) {
	const { parseSshPublicKeys } = await import('../../people/identity/credentials/ssh-public-key.ts');
	const keys = parseSshPublicKeys(await readOptionFile('--ssh-key-file', path));
	if (keys.length > 1) throw new UsageError(`--ssh-key-file ${path}: expected one key, found ${keys.length}`);
	return keys[0];
}

async function list(context: CommandContext): Promise<void> {
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const { operators } = await openCommandParts(context);
	const rows = (await operators.list()).map(shown);
	const cells = rows.map((row) => [row.name, row.role, row.key, row.createdAt, row.removedAt]);
	const text = rows.length === 0 ? 'There are no operators: everybody may run everything.' : undefined;
	context.output.show(rows, text ?? table(['name', 'role', 'key', 'added', 'removed'], cells));
}

async function showRoles(context: CommandContext): Promise<void> {
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const { commandRules } = await import('../../people/operators/roles.ts');
	await openCommandParts(context);
	const rows = Object.entries(commandRules).map(([command, { role, forTwo }]) => ({
		command,
		role,
		two: forTwo ?? null,
	}));
	const cells = rows.map(({ command, role, two }) => [command, role, two?.replaceAll('`', '') ?? 'no']);
	context.output.show(rows, table(['command', 'role', 'two people'], cells));
}

async function recover(context: CommandContext): Promise<void> {
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const { requireMasterKey } = await import('../../installation/opening/require-master-key.ts');
	const { operators, database, actor } = await openCommandParts(context);
	await requireMasterKey(database, context.settings, await readOptionFile('standard input', STANDARD_INPUT));
	const removed = await operators.recover(actor);
	const text = `${removed} operators are removed. Add the first one now: until then everybody may run everything.`;
	context.output.show({ removed }, text);
}

function shown({ name, role, fingerprint, createdAt, removedAt }: Operator) {
	return {
		name,
		role,
		key: fingerprint,
		createdAt: createdAt.toISOString(),
		removedAt: removedAt?.toISOString() ?? null,
	};
}
