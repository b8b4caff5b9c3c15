import { readOptionFile, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { SshKey } from '../../people/identity/credentials/ssh-keys.ts';
import type { SshPublicKey } from '../../people/identity/credentials/ssh-public-key.ts';
import { openAccount } from '../open-account.ts';

interface FileOptions {
	readonly userId: string;
	readonly file?: string;
	readonly fingerprint?: string;
	readonly permissions?: string;
	readonly from?: string;
}

export function register(program: FramedCommand): void {
	const sshKey = program.subcommand('ssh-key', 'SSH keys that log in to an account over sFTP');

	sshKey
		.ofAccount('add', 'let the keys of a public key file log in')
		.requiredOption('--file <file>', 'OpenSSH public keys, as in id_ed25519.pub')
		.option('--permissions <list>', 'of these logins: names with commas, or all')
		.option('--from <ranges>', 'addresses they may log in from, like 10.0.0.0/8, with commas')
		.run<FileOptions>(async (context, { userId, file, permissions, from }) => {
			const { parsePermissions } = await import('../../people/identity/permissions.ts');
			const asked = permissions === undefined ? undefined : parsePermissions(permissions);
			const keys = await readKeys(file!);
			const { identity, account, actor } = await openAccount(context, userId);
			const added: SshKey[] = [];
			for (const key of keys) added.push(await identity.sshKeys.add(account, actor, key, asked, from));
			context.output.show(
				added.map((key) => ({ userId, ...shown(key) })),
				tableOf(added),
			);
		});
	sshKey.ofAccount('list', 'the keys, oldest first').run<FileOptions>(async (context, { userId }) => {
		const { identity, account } = await openAccount(context, userId);
		const keys = await identity.sshKeys.list(account);
		context.output.show(keys.map(shown), tableOf(keys));
	});
	sshKey
		.ofAccount('remove', 'no longer let keys log in')
		.option('--file <file>', 'the public key file')
		.option('--fingerprint <fingerprint>', 'SHA256:… as the list shows it')
		.run<FileOptions>(async (context, { userId, file, fingerprint }) => {
			if ((file === undefined) === (fingerprint === undefined)) throw new UsageError('give --file or --fingerprint');
			const fingerprints = file === undefined ? [fingerprint!] : (await readKeys(file)).map((key) => key.fingerprint);
			const { identity, account, actor } = await openAccount(context, userId);
			for (const each of fingerprints) await identity.sshKeys.remove(account, actor, each);
			context.output.show({ userId, removed: fingerprints }, `Removed: ${fingerprints.join(', ')}`);
		});
}

async function readKeys(path: string): Promise<SshPublicKey[]> {
	const { parseSshPublicKeys } = await import('../../people/identity/credentials/ssh-public-key.ts');
	return parseSshPublicKeys(await readOptionFile('--file', path));
}

function shown({ permissions, createdAt, ...key }: SshKey) {
	return { ...key, permissions: [...permissions], createdAt: createdAt.toISOString() };
}

function tableOf(keys: readonly SshKey[]): string {
	const cells = keys.map((key) => [key.fingerprint, key.algorithm, key.comment, [...key.permissions].join(',')]);
	return table(['fingerprint', 'algorithm', 'comment', 'permissions'], cells);
}
