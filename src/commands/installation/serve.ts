import type { Command } from 'commander';
import type { Frame } from '../../installation/frame/command.ts';

/**
 * When the daemon stops, running work first gets the time that the settings give it. Then closing files, connections
 * and threads may take this much longer.
 */
const CLOSING_MS = 10_000;

/** Registers `serve`, which runs the daemon until SIGTERM or SIGINT. */
export function register(program: Command, frame: Frame): void {
	program
		.command('serve')
		.description('run the daemon until SIGTERM or SIGINT')
		.action(
			frame.daemonAction(async (context) => {
				const { settings, logger, output, configPath } = context;
				const { exitOnUncaught, runUntilSignal } = await import('../../base/lifecycle.ts');
				const { openDaemon } = await import('../../app/daemon.ts');
				const { banner } = await import('./banner.ts');
				const forget = exitOnUncaught(logger);
				// Whoever started the daemon may no longer read what it says. Other commands end when nobody reads on.
				process.stdout.removeAllListeners('error');
				process.stdout.on('error', (err) => logger.warn({ err }, 'what the start has to say could not be written'));
				context.exitCode = await runUntilSignal({
					logger,
					open: async () => {
						const daemon = await openDaemon({ settings, logger, configPath });
						const { baseUrl, sftpPort, opsPort, fingerprints, demo, portalLink } = daemon;
						const created = demo && { userId: demo.account.userId, apiKey: demo.secret.reveal() };
						const portal = portalLink?.reveal() ?? null;
						const shown = { baseUrl, sftpPort, opsPort, fingerprints, demo: created ?? null, portal };
						output.show(shown, banner(settings, daemon));
						return daemon;
					},
					deadlineMs: settings.shutdown.drainSeconds * 1000 + CLOSING_MS,
				});
				forget();
			}),
		);
}
