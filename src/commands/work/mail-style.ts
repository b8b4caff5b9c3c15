import type { CommandContext } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { MailStyle } from '../../work/cardholders/requests/mail-style.ts';
import { openAccount, showRemoved } from '../open-account.ts';

type StyleOptions = { readonly userId: string } & MailStyle;

export function register(program: FramedCommand): void {
	const group = program.subcommand('mail-style', 'how the mails to cardholders of an account look');

	group
		.ofAccount('set', 'set the style in place of the earlier one; what is not given is as in the settings')
		.option('--from-name <name>', 'whom mails come from')
		.option('--from-address <address>', 'the address that mails come from')
		.option('--reply-to <address>', 'where answers go')
		.option('--logo-url <url>', 'a picture above the text, https:')
		.option('--colour <colour>', 'the colour of the button, such as #0a5cff')
		.run<StyleOptions>(async (context, { userId, ...style }) => {
			const { styles, owner, actor } = await openStyles(context, userId);
			await styles.set(owner, style, actor);
			context.output.show({ userId: owner.userId, ...style }, `The mail style of ${owner.userId} is set.`);
		});
	group.ofAccount('show', 'the style of an account').run<StyleOptions>(async (context, { userId }) => {
		const { styles, owner } = await openStyles(context, userId);
		const style = await styles.find(owner.accountId);
		const lines = Object.entries(style).map(([name, value]) => `${name}: ${value}`);
		context.output.show({ userId: owner.userId, ...style }, lines.join('\n') || 'As in the settings.');
	});
	group.ofAccount('remove', 'go back to the style of the settings').run<StyleOptions>(async (context, { userId }) => {
		const { styles, owner, actor } = await openStyles(context, userId);
		const removed = await styles.remove(owner, actor);
		showRemoved(context, { userId: owner.userId }, removed, 'There was none.');
	});
}

async function openStyles(context: CommandContext, userId: string) {
	const { openMailStyles } = await import('../../work/cardholders/requests/mail-style.ts');
	const { systemClock } = await import('../../base/clock.ts');
	const { database, audit, owner, actor } = await openAccount(context, userId);
	return { styles: openMailStyles({ database, audit, clock: systemClock }), owner, actor };
}
