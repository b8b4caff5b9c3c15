import type { Ban } from '../../base/defender/defender.ts';
import type { Door } from '../../base/defender/score-store.ts';
import { table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

export function register(program: FramedCommand): void {
	const ban = program.subcommand('ban', 'addresses that are shut out for what failed there');

	ban.subcommand('list', 'who is shut out, the latest first').run(async (context) => {
		const { listBans } = await import('../../people/operators/bans.ts');
		const { database } = await context.parts();
		const bans = (await listBans(database, Date.now())).map(shown);
		const cells = bans.map(({ address, door, since, until }) => [address, door, since, until]);
		context.output.show(bans, table(['address', 'door', 'since', 'until'], cells));
	});
	ban
		.subcommand('lift', 'let an address try again, within a second or two')
		.requiredOption('--address <address>', 'as the list or the log shows it')
		.run<{ readonly address: string }>(async (context, { address }) => {
			const { liftBan } = await import('../../people/operators/bans.ts');
			const { actor, ...parts } = await context.parts();
			const lifted = await liftBan(parts, address, { actor, nowMs: Date.now() });
			const text = lifted.length > 0 ? `Lifted: ${address} (${lifted.join(', ')})` : `${address} is not shut out`;
			context.output.show({ address, lifted }, text);
		});
	registerAllowing(ban, 'allow', 'shut nobody out there for failed logins over sFTP, or not the users of one account');
	registerAllowing(ban, 'disallow', 'take that back');
	ban
		.subcommand('allowed', 'from where nobody is shut out, and for whom; the setting defender.allow comes on top')
		.run(async (context) => {
			const { allowedStore } = await import('../../base/defender/allowed-store.ts');
			const { database } = await context.parts();
			const rows = (await allowedStore(database.knex).list()).map(({ range, user_id, created_at }) => ({
				range,
				userId: user_id,
				since: new Date(created_at).toISOString(),
			}));
			const cells = rows.map(({ range, userId, since }) => [range, userId ?? 'everybody', since]);
			context.output.show(rows, table(['addresses', 'for', 'since'], cells));
		});
}

function registerAllowing(ban: FramedCommand, verb: 'allow' | 'disallow', description: string): void {
	ban
		.subcommand(verb, `${description}; within five seconds`)
		.requiredOption('--address <range>', 'an address or a range, 192.0.2.0/24')
		.option('--user-id <id>', 'for this account alone')
		.run<{ readonly address: string; readonly userId?: string }>(async (context, { address, userId }) => {
			const { transact } = await import('../../base/database/dialect.ts');
			const { readAddressRange } = await import('../../base/settings/address-range.ts');
			const { allowedStore } = await import('../../base/defender/allowed-store.ts');
			if (!readAddressRange(address)) throw new UsageError('--address: expected an address or a range of them');
			const { database, audit, actor, identity } = await context.parts();
			const account = userId === undefined ? undefined : await identity.accounts.get(userId);
			const isChanged = await transact(database, async (transaction) => {
				const store = allowedStore(transaction);
				const isNew =
					verb === 'allow'
						? await store.add(account?.id, address, Date.now())
						: await store.remove(account?.id, address);
				const entry = {
					actor,
					action: `ban.${verb}`,
					subject: `address ${address}`,
					details: { for: account?.userId ?? 'everybody' },
				};
				if (isNew) await audit.record(entry, transaction);
				return isNew;
			});
			const whom = account?.userId ?? 'everybody';
			const text = isChanged
				? `${verb === 'allow' ? 'Allowed' : 'No longer allowed'}: ${address} for ${whom}`
				: 'Nothing to change';
			context.output.show({ address, for: whom, isChanged }, text);
		});
}

function shown({ address, door, decidedAtMs, untilMs }: Ban & { readonly door: Door }) {
	return { address, door, since: new Date(decidedAtMs).toISOString(), until: new Date(untilMs).toISOString() };
}
