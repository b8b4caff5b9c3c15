import { type CommandContext, EXIT } from '../installation/frame/command.ts';

/**
 * Opens the parts of a command and the account that it is about. `owner` is whose things the command changes: what an account
 * shares with its sub-users and properties belongs to its primary account (spec §2.5).
 */
export async function openAccount(context: CommandContext, userId: string) {
	const parts = await context.parts();
	const account = await parts.identity.accounts.get(userId);
	return { ...parts, account, owner: { accountId: account.parentId ?? account.id, userId } };
}

/** Says whether something was removed, and what then `fails`; the command fails if it was not there. */
export function showRemoved(
	context: CommandContext,
	what: object,
	removed: boolean,
	absent: string,
	fails?: string,
): void {
	context.output.show({ ...what, removed }, removed ? ['Removed.', fails].join(' ').trim() : absent);
	if (!removed) context.exitCode = EXIT.failed;
}

/** Says what names something that was ended, and fails without it; undefined if nothing does. */
export function failingText(usedBy: readonly string[]): string | undefined {
	return usedBy.length === 0 ? undefined : `What names it fails until it is put again: ${usedBy.join(', ')}.`;
}
