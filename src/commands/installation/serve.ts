import type { Daemon } from '../../app/daemon.ts';
import type { Member } from '../../app/processes/member.ts';
import type { Supervisor } from '../../app/processes/supervisor.ts';
import type { Welcome } from '../../app/welcome.ts';
import { logLines } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { CommandContext } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/**
 * When the daemon stops, running work first gets the time that the settings give it. Then closing files, connections
 * and threads may take this much longer.
 */
const CLOSING_MS = 10_000;
/** A process that takes too long ends by itself. Its supervisor waits for that. */
const LONGER_MS = 2_000;

/** Registers `serve`, which runs the daemon until SIGTERM or SIGINT. */
export function register(program: FramedCommand): void {
	program.subcommand('serve', 'run the daemon until SIGTERM or SIGINT').runDaemon(async (context) => {
		const { settings, logger } = context;
		const { exitOnUncaught } = await import('../../base/lifecycle.ts');
		const { countProcesses } = await import('../../base/settings/processes.ts');
		const { findMember } = await import('../../app/processes/member.ts');
		const forget = exitOnUncaught(logger);
		// Whoever started the daemon may no longer read what it says. Other commands end when nobody reads on.
		process.stdout.removeAllListeners('error');
		process.stdout.on('error', (err) => logger.warn({ err }, 'what the start has to say could not be written'));
		const member = await findMember();
		try {
			if (member === undefined && countProcesses(settings) > 1) await supervise(context);
			else await serve(context, member);
		} finally {
			member?.leave();
		}
		forget();
	});
}

/** Runs the daemon in this process, which may be one of several. */
async function serve(context: CommandContext, member: Member | undefined): Promise<void> {
	const { settings, configPath } = context;
	const logger = member ? context.logger.child({ process: member.number }) : context.logger;
	const { runUntilSignal } = await import('../../base/lifecycle.ts');
	const { openDaemon } = await import('../../app/daemon.ts');
	const { welcomeOf } = await import('../../app/welcome.ts');
	const { collectStartGarbage, countBuffersInHeap, freeCompiledCode } = await import(
		'../../base/threads/start-memory.ts'
	);
	countBuffersInHeap();
	context.exitCode = await runUntilSignal({
		logger,
		open: async (): Promise<Daemon> => {
			freeCompiledCode();
			const daemon = await openDaemon({ settings, logger, configPath, member });
			freeCompiledCode();
			await collectStartGarbage();
			// Whoever sees that the daemon is ready finds everything about its start in the log.
			logLines.flush();
			if (member) member.ready(welcomeOf(daemon));
			else await showStart(context, welcomeOf(daemon), daemon.opsPort);
			return daemon;
		},
		deadlineMs: deadlineMs(context),
		...(member && { host: member.host, isInTerminal: false }),
	});
}

async function supervise(context: CommandContext): Promise<void> {
	const { settings, logger } = context;
	const { runUntilSignal } = await import('../../base/lifecycle.ts');
	const { FirstProcessError, openSupervisor } = await import('../../app/processes/supervisor.ts');
	try {
		context.exitCode = await runUntilSignal({
			logger,
			open: async (): Promise<Supervisor> => {
				const supervisor = await openSupervisor({ settings, logger });
				await showStart(context, supervisor.welcome, supervisor.opsPort);
				return supervisor;
			},
			deadlineMs: deadlineMs(context) + LONGER_MS,
		});
	} catch (error) {
		if (!(error instanceof FirstProcessError)) throw error;
		context.exitCode = error.exitCode;
	}
}

function deadlineMs({ settings }: CommandContext): number {
	return settings.shutdown.drainSeconds * 1000 + CLOSING_MS;
}

async function showStart({ output, settings }: CommandContext, welcome: Welcome, opsPort: number | undefined) {
	const { baseUrl, sftpPort, fingerprints, demo, portal } = welcome;
	output.show({ baseUrl, sftpPort, opsPort, fingerprints, demo, portal }, banner(settings, { ...welcome, opsPort }));
}

/**
 * Returns the text that the daemon shows to the person who started it: the addresses of its listeners and, on the first
 * start, the demo account. The key of that account is shown nowhere else.
 */
export function banner({ sftp }: Settings, daemon: Welcome & { readonly opsPort: number | undefined }): string {
	const host = sftp.host === '0.0.0.0' || sftp.host === '::' ? 'localhost' : sftp.host;
	const lines = [
		`Tokendrop is ready: sFTP on ${host} port ${daemon.sftpPort}, HTTP at ${daemon.baseUrl}, health and metrics on port ${daemon.opsPort}.`,
		...daemon.fingerprints.map((fingerprint) => `  host key ${fingerprint}`),
	];
	if (!daemon.hasNativeBinding) lines.push('  ssh2 runs without its compiled binding: transfers are slower.');
	if (!daemon.demo) return lines.join('\n');
	const { userId: user, apiKey } = daemon.demo;
	const sample = 'fixtures/SIMPLECSV/01-basic/input.csv';
	return [
		...lines,
		'',
		'First start: an account was made. Its API key, and a link to the portal that works once, are shown only now:',
		`  user    ${user}`,
		`  key     ${apiKey}`,
		...(daemon.portal === null ? [] : [`  portal  ${daemon.portal}`]),
		'',
		'Try it. The key is the password:',
		`  sftp -P ${daemon.sftpPort} ${user}@${host}`,
		`    put ${sample} /tokenize/SIMPLECSV/first.csv`,
		'    get /tokenized/SIMPLECSV/first.csv',
		'    get /reports/SIMPLECSV/*',
		'or without a dialogue:',
		`  curl --insecure --user '${user}:${apiKey}' --upload-file ${sample} sftp://${host}:${daemon.sftpPort}/tokenize/SIMPLECSV/second.csv`,
		`  curl --insecure --user '${user}:${apiKey}' sftp://${host}:${daemon.sftpPort}/tokenized/SIMPLECSV/second.csv`,
	].join('\n');
}
