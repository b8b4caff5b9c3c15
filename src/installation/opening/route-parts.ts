// Collects what the runs of routes work with, for a daemon or a command.

import type { Clock } from '../../base/clock.ts';
import type { JobId } from '../../base/database/ids.ts';
import type { Logger } from '../../base/log/log.ts';
import { recordEvents } from '../../base/outbox/record-events.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Drops } from '../../work/drops/drops.ts';
import type { Intake } from '../../work/jobs/intake.ts';
import type { Messages } from '../../work/pgp/messages.ts';
import { openDestinations } from '../../work/relay/partners/destinations.ts';
import type { EndParts } from '../../work/routes/places/open-ends.ts';
import { RestingHosts } from '../../work/routes/places/resting-hosts.ts';
import { routeFolders } from '../../work/routes/routes.ts';
import type { RunParts } from '../../work/routes/runs/carry-out.ts';
import type { InstallationParts } from './open-parts.ts';

/** Returns the parts of a run. What routes tell goes to the log and to the endpoints of the account. */
export function routeParts(
	opened: Pick<InstallationParts, 'database' | 'keyRing' | 'audit' | 'identity'> & {
		readonly drops: Drops;
		readonly intake: Intake;
		readonly messages: Messages;
		readonly clock: Clock;
		readonly logger: Logger;
		readonly processJob?: (id: JobId) => Promise<void>;
		readonly prepareJob?: () => void;
	},
	settings: Pick<Settings, 'environment' | 'relay' | 'routes'>,
	onRun?: RunParts['onRun'],
): RunParts {
	const { identity, clock, logger } = opened;
	return {
		...opened,
		onRun,
		accounts: identity.accounts,
		teller: {
			async tell(transaction, type, { accountId, userId, route, details }) {
				const told = { route, ...details };
				logger[type === 'route.done' || type === 'route.file_came' ? 'info' : 'warn'](
					{ account: userId, ...told },
					type,
				);
				const about = `route ${route}`;
				await recordEvents(transaction, [{ type, accountId, about, data: told }], clock.now().getTime());
			},
		},
		onUnexpected: (err, { routeId, id }) => logger.error({ err, route: routeId, run: id }, 'a step of a route failed'),
		ends: routeEnds(opened, settings),
	};
}

export function routeEnds(
	opened: Pick<InstallationParts, 'database' | 'keyRing' | 'audit'> & { readonly drops: Drops; readonly clock: Clock },
	settings: Pick<Settings, 'environment' | 'relay' | 'routes'>,
): EndParts {
	return {
		destinations: openDestinations(opened),
		drops: opened.drops,
		folders: routeFolders(settings),
		environment: settings.environment,
		allowPrivate: settings.relay.allowPrivate,
		resting: new RestingHosts(opened.clock),
	};
}
