import type { Command } from 'commander';
import type { Ban } from '../defender/defender.ts';
import type { Door } from '../defender/score-store.ts';
import { type Frame, table } from './command.ts';

/** `ban list|lift`. */
export function register(program: Command, frame: Frame): void {
	const ban = program.command('ban').description('addresses that are shut out for what failed there');

	ban
		.command('list')
		.description('who is shut out, the latest first')
		.action(
			frame.action(async (context) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { scoreStore } = await import('../defender/score-store.ts');
				const { database } = await openRooms(context);
				const bans = (await scoreStore(database.knex).listBans(Date.now())).map(shown);
				const cells = bans.map(({ address, door, since, until }) => [address, door, since, until]);
				context.output.show(bans, table(['address', 'door', 'since', 'until'], cells));
			}),
		);
	ban
		.command('lift')
		.description('let an address try again, within a second or two')
		.requiredOption('--address <address>', 'as the list or the log shows it')
		.action(
			frame.action<{ readonly address: string }>(async (context, { address }) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { transact } = await import('../database/dialect.ts');
				const { scoreStore } = await import('../defender/score-store.ts');
				const { defendedAddress } = await import('../defender/defender.ts');
				const { database, audit, actor } = await openRooms(context);
				const lifted = await transact(database, async (transaction) => {
					const doors = await scoreStore(transaction).lift(defendedAddress(address), Date.now());
					const entry = {
						actor,
						action: 'ban.lift',
						subject: `address ${address}`,
						details: { doors: doors.join(',') },
					};
					if (doors.length > 0) await audit.record(entry, transaction);
					return doors;
				});
				const text = lifted.length > 0 ? `Lifted: ${address} (${lifted.join(', ')})` : `${address} is not shut out`;
				context.output.show({ address, lifted }, text);
			}),
		);
}

function shown({ address, door, decidedAtMs, untilMs }: Ban & { readonly door: Door }) {
	return { address, door, since: new Date(decidedAtMs).toISOString(), until: new Date(untilMs).toISOString() };
}
