import type { Command } from 'commander';
import { type Frame, readOptionFile, table, UsageError } from '../../installation/frame/command.ts';
import type { SshKey } from '../../people/identity/credentials/ssh-keys.ts';
import type { SshPublicKey } from '../../people/identity/credentials/ssh-public-key.ts';

interface FileOptions {
	readonly userId: string;
	readonly file?: string;
	readonly fingerprint?: string;
	readonly permissions?: string;
	readonly from?: string;
}

/** Registers `ssh-key add|list|remove`. */
export function register(program: Command, frame: Frame): void {
	const sshKey = program.command('ssh-key').description('SSH keys that log in to an account over sFTP');
	const command = (name: string, description: string) =>
		sshKey.command(name).description(description).requiredOption('--user-id <id>', 'the account');

	command('add', 'let the keys of a public key file log in')
		.requiredOption('--file <file>', 'OpenSSH public keys, as in id_ed25519.pub')
		.option('--permissions <list>', 'of these logins: names with commas, or all')
		.option('--from <ranges>', 'addresses they may log in from, like 10.0.0.0/8, with commas')
		.action(
			frame.action<FileOptions>(async (context, { userId, file, permissions, from }) => {
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { parsePermissions } = await import('../../people/identity/permissions.ts');
				const asked = permissions === undefined ? undefined : parsePermissions(permissions);
				const keys = await readKeys(file!);
				const { identity, actor } = await openCommandParts(context);
				const account = await identity.accounts.get(userId);
				const added: SshKey[] = [];
				for (const key of keys) added.push(await identity.sshKeys.add(account, actor, key, asked, from));
				context.output.show(
					added.map((key) => ({ userId, ...shown(key) })),
					tableOf(added),
				);
			}),
		);
	command('list', 'the keys, oldest first').action(
		frame.action<FileOptions>(async (context, { userId }) => {
			const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
			const { identity } = await openCommandParts(context);
			const keys = await identity.sshKeys.list(await identity.accounts.get(userId));
			context.output.show(keys.map(shown), tableOf(keys));
		}),
	);
	command('remove', 'no longer let keys log in')
		.option('--file <file>', 'the public key file')
		.option('--fingerprint <fingerprint>', 'SHA256:… as the list shows it')
		.action(
			frame.action<FileOptions>(async (context, { userId, file, fingerprint }) => {
				if ((file === undefined) === (fingerprint === undefined)) throw new UsageError('give --file or --fingerprint');
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const fingerprints = file === undefined ? [fingerprint!] : (await readKeys(file)).map((key) => key.fingerprint);
				const { identity, actor } = await openCommandParts(context);
				const account = await identity.accounts.get(userId);
				for (const each of fingerprints) await identity.sshKeys.remove(account, actor, each);
				context.output.show({ userId, removed: fingerprints }, `Removed: ${fingerprints.join(', ')}`);
			}),
		);
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
