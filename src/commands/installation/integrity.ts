import { EXIT, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Registers `integrity`, which ends with exit code 1 if a payment page is not served as it was sent. */
export function register(program: FramedCommand): void {
	program
		.subcommand(
			'integrity',
			'whether the public URL serves our payment pages as we send them; exit code 1 when headers or scripts differ',
		)
		.option('--base-url <url>', 'in place of the setting baseUrl')
		.run<{ readonly baseUrl?: string }>(async (context, options) => {
			const { checkOwnPages } = await import('../../installation/doctor/page-check.ts');
			const { systemClock } = await import('../../base/clock.ts');
			const { settings, logger } = context;
			const given = options.baseUrl ?? settings.baseUrl;
			if (given === null) throw new UsageError('--base-url: say where the pages are; the setting baseUrl is empty');
			if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw new UsageError('--base-url: expected an address');
			const baseUrl = given.replace(/\/$/, '');
			const { keyRing, audit, actor } = await context.parts();
			const { hideSeconds } = settings.cardDisplay;
			const parts = { keyRing, audit, clock: systemClock, logger };
			const differences = await checkOwnPages(parts, { baseUrl, hideSeconds, actor });
			if (differences.length > 0) context.exitCode = EXIT.failed;
			const cells = differences.map(({ of, what }) => [of, what]);
			const text =
				cells.length === 0
					? `${baseUrl} serves all payment pages as they were sent.`
					: table(['page or file', 'difference'], cells);
			context.output.show({ baseUrl, isIntact: cells.length === 0, differences }, text);
		});
}
