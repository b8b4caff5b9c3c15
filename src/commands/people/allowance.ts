import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import { brokenRows } from '../broken-rows.ts';
import { openAccount } from '../open-account.ts';
import { unitCount } from './account-changes.ts';

/** Without `--user-id`, at most this many accounts are shown. */
const MOST_SHOWN = 10_000;

export function register(program: FramedCommand): void {
	const allowance = program.subcommand('allowance', 'how many units accounts may use before they are blocked');
	allowance
		.subcommand('show', 'limit, used and left, of one primary account or of all')
		.option('--user-id <id>', 'this account alone')
		.run<{ userId?: string }>(async (context, { userId }) => {
			const { accounts } = (await context.parts()).identity;
			const found = userId === undefined ? await accounts.list({ limit: MOST_SHOWN }) : [await accounts.get(userId)];
			const rows = found.filter(({ parentId }) => userId !== undefined || parentId === null).map(shownAllowance);
			const cells = rows.map((row) => [row.userId, row.limit ?? 'unlimited', row.used, row.left ?? '-', row.blockedAt]);
			context.output.show(
				rows,
				table(['user id', 'limit', 'used', 'left', 'blocked'], cells) + brokenRows(rows, ({ userId }) => userId),
			);
		});
	allowance
		.subcommand('set', 'another limit; what is used stays used, and `account unblock` lifts a block')
		.requiredOption('--user-id <id>', 'the primary account')
		.requiredOption('--units <n>', 'a whole number, or unlimited', unitCount)
		.run<{ userId: string; units: number | 'unlimited' }>(async (context, { userId, units }) => {
			const { identity, account, actor } = await openAccount(context, userId);
			const value = shownAllowance(
				await identity.changes.setAllowance(account, actor, units === 'unlimited' ? null : units),
			);
			const { limit, used, left, blockedAt } = value;
			const text = limit === null ? `${userId} has no limit` : `${userId} has ${left} of ${limit} units left`;
			context.output.show(value, `${text}; ${used} are used${blockedAt === null ? '' : ', and it is blocked'}.`);
		});
}

function shownAllowance({ userId, allowanceLimit: limit, allowanceUsed: used, blockedAt, isBroken }: Account) {
	const left = limit === null ? null : Math.max(0, limit - used);
	return { userId, limit, used, left, blockedAt: blockedAt?.toISOString() ?? null, isBroken };
}
