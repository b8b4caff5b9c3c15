// Opens what the runs of routes work with, for a command.

import { systemClock } from '../../base/clock.ts';
import { dropBlobs } from '../../work/drops/drop-blobs.ts';
import { Drops } from '../../work/drops/drops.ts';
import { openIntake } from '../../work/jobs/intake.ts';
import type { RunParts } from '../../work/routes/runs/carry-out.ts';
import type { CommandContext } from '../frame/command.ts';
import { accountMessages } from './account-messages.ts';
import { commandJobs } from './command-jobs.ts';
import type { InstallationParts } from './open-parts.ts';
import { routeParts } from './route-parts.ts';

/** Returns the parts of a run in this process, which processes its jobs itself if no daemon does. */
export function commandRuns(
	parts: Pick<InstallationParts, 'database' | 'keyRing' | 'audit' | 'identity'>,
	{ settings, logger, opened }: Pick<CommandContext, 'settings' | 'logger' | 'opened'>,
): RunParts {
	const { database, keyRing } = parts;
	const clock = systemClock;
	const maxFileBytes = settings.transfer.maxFileBytes ?? undefined;
	const drops = opened(
		'drops',
		new Drops({
			database,
			keyRing,
			clock,
			maxFileBytes,
			blobs: dropBlobs(settings, database),
			quotas: settings.drops,
			daemonId: `command:${process.pid}`,
		}),
	);
	const intake = openIntake({ database, drops, clock });
	const messages = accountMessages(parts, settings, opened);
	const processJob = commandJobs({ ...parts, messages }, { settings });
	return routeParts({ ...parts, messages, drops, intake, clock, logger, processJob }, settings);
}
