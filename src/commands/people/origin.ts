import type { Command } from 'commander';
import { type Frame, table } from '../../installation/frame/command.ts';

interface OriginOptions {
	readonly userId: string;
}

/** Registers `origin add|list|remove`. */
export function register(program: Command, frame: Frame): void {
	const origin = program
		.command('origin')
		.description('web sites whose pages may show our pages and call from a browser');
	const command = (name: string, description: string) =>
		origin.command(name).description(description).requiredOption('--user-id <id>', 'the account');

	command('add', 'let pages of a site do so, at once')
		.argument('<origin>', 'https://shop.example, with a port if it has one')
		.action(
			frame.action<OriginOptions>(async (context, { userId }, given) => {
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { identity, actor } = await openCommandParts(context);
				const added = await identity.origins.add(userId, given!, actor);
				context.output.show({ userId, origin: added }, `Added: ${added}`);
			}),
		);
	command('list', 'the sites of an account, and those of its primary account').action(
		frame.action<OriginOptions>(async (context, { userId }) => {
			const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
			const { identity } = await openCommandParts(context);
			const { id } = await identity.accounts.get(userId);
			const origins = await identity.origins.list(id);
			context.output.show(origins, table(['origin'], [...origins.map((each) => [each])]));
		}),
	);
	command('remove', 'no longer let them')
		.argument('<origin>', 'as the list shows it')
		.action(
			frame.action<OriginOptions>(async (context, { userId }, given) => {
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { identity, actor } = await openCommandParts(context);
				const removed = await identity.origins.remove(userId, given!, actor);
				context.output.show({ userId, origin: removed }, `Removed: ${removed}`);
			}),
		);
}
