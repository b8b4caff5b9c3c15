import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { openAccount } from '../open-account.ts';

interface OriginOptions {
	readonly userId: string;
}

export function register(program: FramedCommand): void {
	const origin = program.subcommand('origin', 'web sites whose pages may show our pages and call from a browser');

	origin
		.ofAccount('add', 'let pages of a site do so, at once')
		.argument('<origin>', 'https://shop.example, with a port if it has one')
		.run<OriginOptions>(async (context, { userId }, given) => {
			const { identity, actor } = await context.parts();
			const added = await identity.origins.add(userId, given!, actor);
			context.output.show({ userId, origin: added }, `Added: ${added}`);
		});
	origin
		.ofAccount('list', 'the sites of an account, and those of its primary account')
		.run<OriginOptions>(async (context, { userId }) => {
			const { identity, account } = await openAccount(context, userId);
			const origins = await identity.origins.list(account.id);
			context.output.show(origins, table(['origin'], [...origins.map((each) => [each])]));
		});
	origin
		.ofAccount('remove', 'no longer let them')
		.argument('<origin>', 'as the list shows it')
		.run<OriginOptions>(async (context, { userId }, given) => {
			const { identity, actor } = await context.parts();
			const removed = await identity.origins.remove(userId, given!, actor);
			context.output.show({ userId, origin: removed }, `Removed: ${removed}`);
		});
}
