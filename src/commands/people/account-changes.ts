// Registers `account permissions set` and `account disable|enable|delete`.

import { InvalidArgumentError } from 'commander';
import { UsageError, wholeNumber } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import { openAccount } from '../open-account.ts';

const HOUR_MS = 3_600_000;
/** The shortest delay of a deletion. After it, every session that was open when the account was disabled has ended. */
const LEAST_DELAY_MS = 60_000;

interface PermissionOptions {
	readonly userId: string;
	readonly permissions: string;
	readonly apiKey?: number;
	readonly sshKey?: string;
}

export function registerChanges(account: FramedCommand): void {
	registerPermissions(account);
	account
		.ofAccount('disable', 'no credential of it works from now on, and what is open ends; accepted files are processed')
		.run<{ userId: string }>(async (context, { userId }) => {
			const { identity, account, actor } = await openAccount(context, userId);
			const { disabledAt } = await identity.changes.disable(account, actor);
			context.output.show({ userId, disabledAt: disabledAt!.toISOString() }, `${userId} is disabled.`);
		});
	account
		.ofAccount('enable', 'lets its credentials work again; takes back a deletion that has not begun')
		.run<{ userId: string }>(async (context, { userId }) => {
			const { identity, account, actor } = await openAccount(context, userId);
			await identity.changes.enable(account, actor);
			context.output.show({ userId, disabledAt: null }, `${userId} is enabled.`);
		});
	account
		.ofAccount('delete', 'disable it now, and remove its cards, files, jobs and credentials when the delay is over')
		.requiredOption('--confirm <id>', 'the user ID once more')
		.option('--after <hours>', 'the delay, in which `account enable` takes it back; 0: a minute', wholeNumber, 24)
		.run<{ userId: string; confirm: string; after: number }>(async (context, options) => {
			const { userId, confirm, after } = options;
			if (confirm !== userId) throw new UsageError('--confirm must be the user ID of --user-id');
			const { identity, account, actor } = await openAccount(context, userId);
			const delayMs = Math.max(after * HOUR_MS, LEAST_DELAY_MS);
			const notBefore = (await identity.changes.requestDeletion(account, actor, delayMs)).notBefore.toISOString();
			context.output.show(
				{ userId, notBefore },
				`${userId} is disabled, and is deleted by the daemon after ${notBefore}; until then \`account enable\` takes it back.\n` +
					'Goes: cards, CVVs, files, reports, jobs, credentials, profiles, destinations, keys; of its sub-users and properties too.\n' +
					'Stays: the audit trail, the journal of payments, the user ID, which is not given away again; and what backups hold.',
			);
		});
}

function registerPermissions(account: FramedCommand): void {
	account
		.subcommand('permissions', 'what its credentials may do')
		.ofAccount(
			'set',
			'give its credentials these permissions, in place of those they have; what is open with others ends',
		)
		.requiredOption('--permissions <list>', 'names with commas, or all')
		.option('--api-key <id>', 'this API key alone', wholeNumber)
		.option('--ssh-key <fingerprint>', 'this SSH key alone')
		.run<PermissionOptions>(async (context, { userId, permissions, apiKey: apiKeyId, sshKey }) => {
			if (apiKeyId !== undefined && sshKey !== undefined) throw new UsageError('--api-key or --ssh-key, not both');
			const { parsePermissions } = await import('../../people/identity/permissions.ts');
			const set = parsePermissions(permissions);
			const { identity, account, actor } = await openAccount(context, userId);
			const credentials = await identity.changes.setPermissions(account, actor, set, { apiKeyId, sshKey });
			const names = [...set];
			const text = `${credentials} credentials of ${userId} now have: ${names.join(', ')}`;
			context.output.show({ userId, credentials, permissions: names }, text);
		});
}

export function shownAccount(account: Account, parent: string | undefined) {
	const { userId, kind, cvvRetention, allowanceLimit, allowanceUsed, blockedAt, disabledAt, createdAt } = account;
	const { cardsRetentionDays, cardsRetired } = account;
	return {
		userId,
		kind,
		parent: parent ?? null,
		cvvRetention,
		allowanceLimit,
		allowanceUsed,
		cardsRetentionDays,
		cardsRetired,
		isBroken: account.isBroken,
		blockedAt: blockedAt?.toISOString() ?? null,
		disabledAt: disabledAt?.toISOString() ?? null,
		createdAt: createdAt.toISOString(),
	};
}

export function unitCount(text: string): number | 'unlimited' {
	if (text === 'unlimited') return text;
	if (/^\d+$/.test(text)) return wholeNumber(text);
	throw new InvalidArgumentError('Expected a whole number or unlimited.');
}
