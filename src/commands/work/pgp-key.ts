import {
	type CommandContext,
	readOptionBytes,
	readOptionFile,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { StoredPgpKey } from '../../work/pgp/pgp-keys.ts';
import { failingText, openAccount } from '../open-account.ts';

interface PgpKeyOptions {
	readonly userId: string;
	readonly name: string;
	readonly file: string;
	readonly passphraseFile?: string;
	readonly expiresInDays?: string;
}

export function register(program: FramedCommand): void {
	const group = program.subcommand('pgp-key', 'OpenPGP keys of an account: own ones, and the public ones of partners');
	const named = (name: string, description: string) =>
		group.ofAccount(name, description).requiredOption('--name <name>', 'the key');

	named('create', 'make an own key; export shows its public part')
		.option('--expires-in-days <days>', 'how long the key is valid; without it, for ever')
		.run<PgpKeyOptions>(async (context, options) => {
			const { createKey } = await import('../../base/openpgp/keys.ts');
			const days = daysOf(options.expiresInDays);
			const { keys, owner, actor, name } = await openKeysOf(context, options);
			const stored = await keys.put(owner, name, await createKey(`${owner.userId} ${name}`, days), actor);
			context.output.show(shown(stored), `Key ${stored.name} is made: ${stored.fingerprint}.`);
		});
	named('import', 'save a key in place of an ended one of its name: a public key of a partner, or an own secret key')
		.requiredOption('--file <file>', 'the key, armored or binary; - is standard input')
		.option('--passphrase-file <file>', 'what opens a secret key, up to the end of its line; - is standard input')
		.run<PgpKeyOptions>(async (context, options) => {
			const { parseKey } = await import('../../base/openpgp/keys.ts');
			const bytes = await readOptionBytes('--file', options.file);
			const { passphraseFile } = options;
			const text = passphraseFile && (await readOptionFile('--passphrase-file', passphraseFile));
			const { keys, owner, actor, name } = await openKeysOf(context, options);
			const key = await parseKey(name, bytes, text?.split(/\r?\n/, 1)[0]);
			const stored = await keys.put(owner, name, key, actor);
			const whose = stored.kind === 'own' ? 'own key' : "partner's key";
			context.output.show(shown(stored), `${stored.name} is set as ${whose}: ${stored.fingerprint}.`);
		});
	named('export', 'print the public part of a key, armored').run<PgpKeyOptions>(async (context, options) => {
		const { keys, owner, name } = await openKeysOf(context, options);
		const stored = await keys.get(owner.accountId, name);
		context.output.show({ ...shown(stored), publicKey: stored.publicKey }, stored.publicKey.trimEnd());
	});
	group.ofAccount('list', 'the keys, by name').run<PgpKeyOptions>(async (context, options) => {
		const { keys, owner } = await openKeysOf(context, options);
		const list = await keys.list(owner.accountId);
		context.output.show(list.map(shown), tableOf(list));
	});
	named('revoke', 'end the use of a key; the secret part of an own key is removed').run<PgpKeyOptions>(
		async (context, options) => {
			const { listUsers } = await import('../../work/routes/uses.ts');
			const { keys, owner, actor, name, ...parts } = await openKeysOf(context, options);
			const stored = await keys.revoke(owner, name, actor);
			const usedBy = await listUsers(parts, owner.accountId, { kind: 'key', name });
			const says = [`Key ${stored.name} is revoked.`, failingText(usedBy)].join(' ').trim();
			context.output.show({ ...shown(stored), usedBy }, says);
		},
	);
}

async function openKeysOf(context: CommandContext, { userId, name }: PgpKeyOptions) {
	const { cardNumberProblem } = await import('../../base/card/spelling/clear-text.ts');
	const { nameProblem } = await import('../../work/relay/partners/destination.ts');
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { openPgpKeys } = await import('../../work/pgp/pgp-keys.ts');
	const problem = name === undefined ? undefined : (nameProblem(name)?.reason ?? cardNumberProblem(name));
	if (problem !== undefined) throw new UsageError(`--name: ${problem}`);
	const { owner, actor, ...parts } = await openAccount(context, userId);
	return { ...parts, owner, name, actor, keys: openPgpKeys({ ...parts, clock }) };
}

function daysOf(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
	throw new UsageError('--expires-in-days must be a whole number from 1 to 99999');
}

function shown({ publicKey: _, expiresAt, revokedAt, createdAt, ...key }: StoredPgpKey) {
	return { ...key, expiresAt, revokedAt, createdAt };
}

function tableOf(list: readonly StoredPgpKey[]): string {
	const stateOf = ({ revokedAt, expiresAt }: StoredPgpKey) =>
		revokedAt ? 'revoked' : (expiresAt?.toISOString().slice(0, 10) ?? 'for ever');
	const cells = list.map((key) => [key.name, key.kind, key.fingerprint, stateOf(key), key.userIds.join(', ')]);
	return table(['name', 'kind', 'fingerprint', 'valid until', 'user'], cells);
}
