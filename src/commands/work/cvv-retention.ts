import { Argument } from 'commander';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { openAccount } from '../open-account.ts';

export function register(program: FramedCommand): void {
	program
		.subcommand('cvv-retention', 'whether CVVs of an account may be kept until they are used')
		.ofAccount('set', 'for cards from now on; CVVs that are kept go at their own end')
		.addArgument(new Argument('<state>', 'whether they may').choices(['on', 'off']))
		.run<{ userId: string }>(async (context, { userId }, state) => {
			const { identity, account, actor } = await openAccount(context, userId);
			const { cvvRetention } = await identity.changes.setCvvRetention(account, actor, state === 'on');
			context.output.show({ userId, cvvRetention }, `CVVs of ${userId} ${cvvRetention ? 'may' : 'may not'} be kept.`);
		});
}
