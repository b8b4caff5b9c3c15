import { Option } from 'commander';
import {
	type CommandContext,
	readOptionFile,
	STANDARD_INPUT,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { Operator } from '../../people/operators/operators.ts';
import type { Role } from '../../people/operators/roles.ts';

interface AddOptions {
	readonly role: Role;
	readonly sshKeyFile?: string;
	readonly token?: boolean;
}

/** Registers `operator add|list|remove|roles|recover`, for the people who run commands. */
export function register(program: FramedCommand): void {
	const group = program.subcommand('operator', 'the people who run these commands, and what they may');
	group
		.subcommand('add', 'from the first one on, every command asks who runs it')
		.argument('<name>', 'a-z, 0-9 and . _ -; never given twice')
		.addOption(
			new Option('--role <role>', 'what they may; see roles')
				.choices(['view', 'operate', 'keys'])
				.makeOptionMandatory(),
		)
		.option('--ssh-key-file <file>', 'their OpenSSH public key, as in id_ed25519.pub')
		.option('--token', 'make a token for them instead, which is shown this once')
		.run<AddOptions>((context, options, name) => add(context, options, name!));
	group.subcommand('list', 'everybody there is and was, oldest first').run(list);
	group
		.subcommand('remove', 'they can run nothing any more; their name is not given again')
		.argument('<name>', 'the operator')
		.run(async (context, _options, name) => {
			const { operators, actor } = await context.parts();
			await operators.remove(name!, actor);
			context.output.show({ name, removed: true }, `Operator ${name} is removed.`);
		});
	group.subcommand('roles', 'which role every command needs, and which need a second person').run(showRoles);
	group
		.subcommand(
			'recover',
			'remove every operator, by the master key on standard input: for when nobody can add another',
		)
		.run(recover);
}

async function add(context: CommandContext, { role, sshKeyFile, token }: AddOptions, name: string): Promise<void> {
	if ((sshKeyFile === undefined) === (token === undefined)) throw new UsageError('give --ssh-key-file or --token');
	const sshKey = sshKeyFile === undefined ? undefined : await readOneKey(sshKeyFile);
	const { operators, actor } = await context.parts();
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
	const { operators } = await context.parts();
	const rows = (await operators.list()).map(shown);
	const cells = rows.map((row) => [row.name, row.role, row.key, row.createdAt, row.removedAt]);
	const text = rows.length === 0 ? 'There are no operators: everybody may run everything.' : undefined;
	context.output.show(rows, text ?? table(['name', 'role', 'key', 'added', 'removed'], cells));
}

async function showRoles(context: CommandContext): Promise<void> {
	const { commandRules } = await import('../../people/operators/roles.ts');
	await context.parts();
	const rows = Object.entries(commandRules).map(([command, { role, forTwo }]) => ({
		command,
		role,
		two: forTwo ?? null,
	}));
	const cells = rows.map(({ command, role, two }) => [command, role, two?.replaceAll('`', '') ?? 'no']);
	context.output.show(rows, table(['command', 'role', 'two people'], cells));
}

async function recover(context: CommandContext): Promise<void> {
	const { requireMasterKey } = await import('../../installation/opening/require-master-key.ts');
	const { operators, database, actor } = await context.parts();
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
