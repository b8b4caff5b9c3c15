import { Argument, type Command } from 'commander';
import type { Frame } from '../../installation/frame/command.ts';
import { openAccount } from '../people/account-changes.ts';

/** Registers `cvv-retention set`. */
export function register(program: Command, frame: Frame): void {
	program
		.command('cvv-retention')
		.description('whether CVVs of an account may be kept until they are used')
		.command('set')
		.description('for cards from now on; CVVs that are kept go at their own end')
		.requiredOption('--user-id <id>', 'the account')
		.addArgument(new Argument('<state>', 'whether they may').choices(['on', 'off']))
		.action(
			frame.action<{ userId: string }>(async (context, { userId }, state) => {
				const { changes, account, actor } = await openAccount(context, userId);
				const { cvvRetention } = await changes.setCvvRetention(account, actor, state === 'on');
				context.output.show({ userId, cvvRetention }, `CVVs of ${userId} ${cvvRetention ? 'may' : 'may not'} be kept.`);
			}),
		);
}
