import type { CommandContext } from '../../installation/frame/command.ts';
import { openAccount } from '../open-account.ts';

export async function openRouteParts(context: CommandContext, { userId }: { readonly userId: string }) {
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { commandRuns } = await import('../../installation/opening/command-runs.ts');
	const { openDestinations } = await import('../../work/relay/partners/destinations.ts');
	const { openFormats } = await import('../../installation/opening/open-formats.ts');
	const { openRoutes } = await import('../../work/routes/routes.ts');
	const { routeFolders } = await import('../../work/routes/routes.ts');
	const opened = await openAccount(context, userId);
	const { database, keyRing, audit, account } = opened;
	const owner = { accountId: account.id, ownerId: opened.owner.accountId, userId };
	const destinations = openDestinations({ database, keyRing, audit });
	const folders = routeFolders(context.settings);
	const formats = await openFormats(opened);
	const routes = openRoutes({ database, keyRing, audit, destinations, clock, formats, folders });
	let runs: ReturnType<typeof commandRuns> | undefined;
	/** Opens what runs work with, which only some commands need. */
	const parts = () => (runs ??= commandRuns(opened, context));
	const controls = async () => {
		const { openRouteControls } = await import('../../work/routes/route-controls.ts');
		const { openPgpKeys } = await import('../../work/pgp/pgp-keys.ts');
		return openRouteControls({ ...parts(), pgpKeys: openPgpKeys({ database, keyRing, audit, clock }) });
	};
	return { ...opened, clock, owner, routes, parts, controls };
}
