import { InvalidArgumentError, Option } from 'commander';
import { table, wholeNumber } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { AccountKind } from '../../people/identity/accounts/account-store.ts';
import { brokenRows } from '../broken-rows.ts';
import { registerChanges, shownAccount as shown, unitCount } from './account-changes.ts';

interface CreateOptions {
	readonly userId: string;
	readonly kind: AccountKind;
	readonly parent?: string;
	readonly cvvRetention?: boolean;
	readonly allowance?: number | 'unlimited';
	readonly permissions?: string;
}

/** Registers `account create|list|show|block|unblock|cards-retention` and the commands of `account-changes.ts`. */
export function register(program: FramedCommand): void {
	const account = program.subcommand('account', 'accounts and their state');
	account
		.subcommand('create', 'make an account and its first API key, which is shown this once')
		.requiredOption('--user-id <id>', 'letters, digits and . _ @ -')
		.addOption(
			new Option('--kind <kind>', 'what it is').choices(['primary', 'sub-user', 'property']).default('primary'),
		)
		.option('--parent <id>', 'user ID of the primary account it belongs to')
		.option('--cvv-retention', 'CVVs may be kept until they are used')
		.option('--allowance <n>', 'units until it is blocked, or unlimited; without it what settings say', unitCount)
		.option('--permissions <list>', 'of its API key: names with commas, or all')
		.run<CreateOptions>(async (context, options) => {
			const { formatPermissions, parsePermissions } = await import('../../people/identity/permissions.ts');
			const permissions = options.permissions === undefined ? undefined : parsePermissions(options.permissions);
			const { identity, actor } = await context.parts();
			const { allowance, ...asked } = options;
			const allowanceLimit = allowance === 'unlimited' ? null : allowance;
			const created = await identity.createAccount({ ...asked, allowanceLimit }, actor, permissions);
			const apiKey = created.secret.reveal();
			const { userId } = created.account;
			const granted = formatPermissions(created.apiKey.permissions);
			const account = shown(created.account, options.parent);
			const value = { ...account, apiKey, apiKeyId: created.apiKey.id, permissions: granted.split(',') };
			context.output.show(
				value,
				`user ID      ${userId}\nAPI key      ${apiKey}\npermissions  ${granted}\nThe key is not shown again.`,
			);
		});
	account
		.subcommand('list', 'every account, oldest first')
		.option('--limit <n>', 'at most this many', wholeNumber, 1_000)
		.option('--offset <n>', 'leave out the first', wholeNumber, 0)
		.run<{ limit: number; offset: number }>(async (context, page) => {
			const { identity } = await context.parts();
			const accounts = await identity.accounts.list(page);
			const parents = await identity.accounts.userIdsOf(accounts.flatMap((row) => row.parentId ?? []));
			const rows = accounts.map((row) => shown(row, row.parentId === null ? undefined : parents.get(row.parentId)));
			const cells = rows.map((row) => [row.userId, row.kind, row.parent, row.blockedAt ?? 'no', row.createdAt]);
			context.output.show(
				rows,
				table(['user id', 'kind', 'parent', 'blocked', 'created'], cells) + brokenRows(rows, ({ userId }) => userId),
			);
		});
	registerChanges(account);
	registerOne(account, 'show', 'one account');
	registerOne(account, 'block', 'billable calls fail from now on; logins still work');
	registerOne(account, 'unblock', 'lift the block and grant a fresh allowance');
	registerRetention(account);
}

function registerRetention(account: FramedCommand): void {
	account
		.ofAccount('cards-retention', 'delete cards of a primary account so many days after they were stored')
		.requiredOption('--days <n>', 'days, or unlimited', dayCount)
		.run<{ userId: string; days: number | 'unlimited' }>(async (context, { userId, days }) => {
			const { identity, actor } = await context.parts();
			const asked = days === 'unlimited' ? null : days;
			const { cardsRetentionDays } = await identity.accounts.setCardsRetention(userId, asked, actor);
			const text = cardsRetentionDays === null ? 'stay' : `go ${cardsRetentionDays} days after they were stored`;
			context.output.show({ userId, cardsRetentionDays }, `Cards of ${userId} ${text}.`);
		});
}

function dayCount(text: string): number | 'unlimited' {
	const days = unitCount(text);
	if (days === 'unlimited' || (days >= 1 && days <= MAX_RETENTION_DAYS)) return days;
	throw new InvalidArgumentError(`Expected 1 to ${MAX_RETENTION_DAYS} days or unlimited.`);
}

/** The largest number of days for which an account may have its cards kept: a hundred years. */
const MAX_RETENTION_DAYS = 36_500;

function registerOne(account: FramedCommand, verb: 'show' | 'block' | 'unblock', description: string): void {
	account.ofAccount(verb, description).run<{ userId: string }>(async (context, { userId }) => {
		const { identity, actor } = await context.parts();
		const { accounts } = identity;
		const found = verb === 'show' ? await accounts.get(userId) : await accounts[verb](userId, actor);
		const parents = await accounts.userIdsOf(found.parentId === null ? [] : [found.parentId]);
		const value = shown(found, parents.values().next().value);
		context.output.show(
			value,
			table(
				['', ''],
				Object.entries(value).map(([name, cell]) => [name, String(cell ?? '-')]),
			).trim(),
		);
	});
}
