import type { Command } from 'commander';
import { type CommandContext, EXIT, type Frame } from '../../installation/frame/command.ts';
import type { MailStyle } from '../../work/cardholders/requests/mail-style.ts';

type StyleOptions = { readonly userId: string } & MailStyle;

/** Registers `mail-style set|show|remove`. */
export function register(program: Command, frame: Frame): void {
	const group = program.command('mail-style').description('how the mails to cardholders of an account look');
	const command = (name: string, description: string) =>
		group.command(name).description(description).requiredOption('--user-id <id>', 'the account');

	command('set', 'set the style in place of the earlier one; what is not given is as in the settings')
		.option('--from-name <name>', 'whom mails come from')
		.option('--from-address <address>', 'the address that mails come from')
		.option('--reply-to <address>', 'where answers go')
		.option('--logo-url <url>', 'a picture above the text, https:')
		.option('--colour <colour>', 'the colour of the button, such as #0a5cff')
		.action(
			frame.action<StyleOptions>(async (context, { userId, ...style }) => {
				const { styles, owner, actor } = await openStyles(context, userId);
				await styles.set(owner, style, actor);
				context.output.show({ userId: owner.userId, ...style }, `The mail style of ${owner.userId} is set.`);
			}),
		);
	command('show', 'the style of an account').action(
		frame.action<StyleOptions>(async (context, { userId }) => {
			const { styles, owner } = await openStyles(context, userId);
			const style = await styles.find(owner.accountId);
			const lines = Object.entries(style).map(([name, value]) => `${name}: ${value}`);
			context.output.show({ userId: owner.userId, ...style }, lines.join('\n') || 'As in the settings.');
		}),
	);
	command('remove', 'go back to the style of the settings').action(
		frame.action<StyleOptions>(async (context, { userId }) => {
			const { styles, owner, actor } = await openStyles(context, userId);
			const removed = await styles.remove(owner, actor);
			context.output.show({ userId: owner.userId, removed }, removed ? 'Removed.' : 'There was none.');
			if (!removed) context.exitCode = EXIT.failed;
		}),
	);
}

/** Opens the styles. They belong to the primary account, as tokens do (spec §2.1). */
async function openStyles(context: CommandContext, userId: string) {
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const { openMailStyles } = await import('../../work/cardholders/requests/mail-style.ts');
	const { systemClock } = await import('../../base/clock.ts');
	const { database, audit, identity, actor } = await openCommandParts(context);
	const account = await identity.accounts.get(userId);
	const owner = { accountId: account.parentId ?? account.id, userId };
	return { styles: openMailStyles({ database, audit, clock: systemClock }), owner, actor };
}
