import { type CommandContext, readOptionFile, table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { StoredDestination } from '../../work/relay/partners/destinations.ts';
import { failingText, openAccount, showRemoved } from '../open-account.ts';

interface DestinationOptions {
	readonly userId: string;
	readonly name: string;
	readonly file: string;
	readonly passwordFile?: string;
	readonly privateKeyFile?: string;
	readonly passphraseFile?: string;
	readonly secretKeyFile?: string;
}

const NO_HOST_KEY = "No host key is set: compare this one with the partner's and put it into hostKeys.";

export function register(program: FramedCommand): void {
	const group = program.subcommand(
		'destination',
		"partners' servers and buckets, for files that are relayed and for routes",
	);
	const named = (name: string, description: string) =>
		group.ofAccount(name, description).requiredOption('--name <name>', 'the destination');

	group
		.ofAccount('put', 'save a destination in place of the one of its name, secrets included')
		.requiredOption(
			'--file <file>',
			'name, kind, folder, and host, port, userName, hostKeys or certificates, or for s3 endpoint, bucket, region, accessKeyId, in YAML or JSON; - is standard input',
		)
		.option('--password-file <file>', 'the password, up to the end of its line; - is standard input')
		.option('--private-key-file <file>', 'a private key; - is standard input')
		.option('--passphrase-file <file>', 'what opens the private key; - is standard input')
		.option('--secret-key-file <file>', 'the secret key of a bucket, up to the end of its line; - is standard input')
		.run<DestinationOptions>(async (context, options) => {
			const { parseDestination } = await import('../../work/relay/partners/destination-document.ts');
			const texts = await readTexts(options);
			const document = parseDestination(texts.file, texts);
			const { destinations, owner, actor } = await openDestinationsOf(context, options);
			const stored = await destinations.put(owner, document, actor);
			const hint =
				stored.kind === 'sftp' && stored.hostKeys.length === 0
					? `\n${NO_HOST_KEY.replace('this one', 'what check shows')}`
					: '';
			context.output.show(stored, `Destination ${stored.name} of ${owner.userId} is set.${hint}`);
		});
	group.ofAccount('list', 'the destinations, by name').run<DestinationOptions>(async (context, options) => {
		const { destinations, owner } = await openDestinationsOf(context, options);
		const list = await destinations.list(owner.accountId);
		context.output.show(list, await tableOf(list));
	});
	named('show', 'one destination, without its secrets').run<DestinationOptions>(async (context, options) => {
		const { destinations, owner } = await openDestinationsOf(context, options);
		const stored = await destinations.get(owner.accountId, options.name);
		context.output.show(stored, JSON.stringify(stored, null, 2));
	});
	named('remove', 'forget a destination and its secrets').run<DestinationOptions>(async (context, options) => {
		const { listUsers } = await import('../../work/routes/uses.ts');
		const { destinations, owner, actor, ...parts } = await openDestinationsOf(context, options);
		const { name } = options;
		const usedBy = await listUsers(parts, owner.accountId, { kind: 'destination', name });
		const removed = await destinations.remove(owner, name, actor);
		const what = { userId: owner.userId, name, usedBy };
		showRemoved(context, what, removed, 'There was none of this name.', failingText(usedBy));
	});
	named('check', 'connect, compare the host key, log in and count the folder; writes nothing').run<DestinationOptions>(
		async (context, options) => {
			const { checkDestination } = await import('../../work/relay/partners/destination-check.ts');
			const { destinations, owner, audit, actor } = await openDestinationsOf(context, options);
			const { environment, relay } = context.settings;
			const { allowPrivate } = relay;
			const check = { destinations, audit, owner, actor, allowPrivate, environment };
			const { hostKey, entries } = await checkDestination(options.name, check);
			const value = { userId: owner.userId, name: options.name, hostKey, isHostKeyExpected: entries !== null, entries };
			const lines = [
				...(hostKey === null ? [] : [`Host key: ${hostKey}`]),
				entries === null ? NO_HOST_KEY : `Logged in; ${entries} entries in the folder.`,
			];
			context.output.show(value, lines.join('\n'));
		},
	);
}

async function openDestinationsOf(context: CommandContext, { userId }: Pick<DestinationOptions, 'userId'>) {
	const { openDestinations } = await import('../../work/relay/partners/destinations.ts');
	const parts = await openAccount(context, userId);
	return { ...parts, destinations: openDestinations(parts) };
}

/**
 * Reads the files that the options name.
 * @throws UsageError if a file cannot be read
 */
async function readTexts({ file, ...secrets }: DestinationOptions) {
	const { passwordFile, privateKeyFile, passphraseFile, secretKeyFile } = secrets;
	const read = async (option: string, path: string | undefined) =>
		path === undefined ? undefined : readOptionFile(option, path);
	const firstLine = (content: string | undefined) => content?.split(/\r?\n/, 1)[0];
	return {
		file: await readOptionFile('--file', file),
		password: firstLine(await read('--password-file', passwordFile)),
		privateKey: await read('--private-key-file', privateKeyFile),
		passphrase: firstLine(await read('--passphrase-file', passphraseFile)),
		secretKey: firstLine(await read('--secret-key-file', secretKeyFile)),
	};
}

async function tableOf(list: readonly StoredDestination[]): Promise<string> {
	const { addressOf, loginNameOf, pinsOf } = await import('../../work/relay/partners/destination.ts');
	const cells = list.map((each) => [
		...[each.name, addressOf(each), loginNameOf(each), each.folder || '-'],
		...[each.hasSecretKey ? 'secret key' : each.hasPrivateKey ? 'key' : 'password', pinsOf(each).join(' ') || '-'],
	]);
	return table(['name', 'host', 'user', 'folder', 'login', 'host keys'], cells);
}
