import type { CommandContext } from '../../installation/frame/command.ts';

/** Opens what the commands of routes work with. */
export async function openRouteParts(context: CommandContext, { userId }: { readonly userId: string }) {
	const { formats } = await import('../../../formats/index.ts');
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
	const { commandRuns } = await import('../../installation/opening/command-runs.ts');
	const { openDestinations } = await import('../../work/relay/partners/destinations.ts');
	const { openRoutes } = await import('../../work/routes/routes.ts');
	const { routeFolders } = await import('../../work/routes/route-folders.ts');
	const opened = await openCommandParts(context);
	const account = await opened.identity.accounts.get(userId);
	const owner = { accountId: account.id, ownerId: account.parentId ?? account.id, userId };
	const { database, keyRing, audit } = opened;
	const destinations = openDestinations({ database, keyRing, audit });
	const folders = routeFolders(context.settings);
	const routes = openRoutes({ database, keyRing, audit, destinations, clock, formats, folders });
	/** Opens what runs work with, which only some commands need. */
	const parts = () => commandRuns(opened, context);
	return { ...opened, clock, owner, routes, parts };
}
