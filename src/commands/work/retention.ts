import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Registers `retention run`, which deletes at once the files, reports and jobs that the daemon deletes by schedule. */
export function register(program: FramedCommand): void {
	program
		.subcommand('retention', 'what is deleted when its time is over')
		.subcommand(
			'run',
			'delete outputs, failed inputs, unfinished uploads, reports and jobs older than the settings say',
		)
		.run(async (context) => {
			const { dropBlobs } = await import('../../work/drops/drop-blobs.ts');
			const { runRetention } = await import('../../work/jobs/retention.ts');
			const { settings, output } = context;
			const { database } = await context.parts();
			const removed = await runRetention({ database, blobs: dropBlobs(settings, database) }, settings.retention);
			const rows = Object.entries(removed).map(([what, count]) => [what, String(count)]);
			output.show(removed, table(['deleted', ''], rows));
		});
}
