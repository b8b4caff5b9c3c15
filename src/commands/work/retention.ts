import type { Command } from 'commander';
import { type Frame, table } from '../../installation/frame/command.ts';

/** Registers `retention run`, which deletes at once the files, reports and jobs that the daemon deletes by schedule. */
export function register(program: Command, frame: Frame): void {
	program
		.command('retention')
		.description('what is deleted when its time is over')
		.command('run')
		.description('delete outputs, failed inputs, unfinished uploads, reports and jobs older than the settings say')
		.action(
			frame.action(async (context) => {
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { dropBlobs } = await import('../../work/drops/drop-blobs.ts');
				const { runRetention } = await import('../../work/jobs/retention.ts');
				const { settings, output } = context;
				const { database } = await openCommandParts(context);
				const removed = await runRetention({ database, blobs: dropBlobs(settings, database) }, settings.retention);
				const rows = Object.entries(removed).map(([what, count]) => [what, String(count)]);
				output.show(removed, table(['deleted', ''], rows));
			}),
		);
}
