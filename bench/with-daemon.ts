import { type Installation, openInstallation, type RunningDaemon } from '../test/helpers/daemon.ts';
import { Teardowns } from './teardowns.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';

/** A daemon of the benchmark has two workers, as on a machine with two cores, and one process unless it is said otherwise. */
export const BENCH_WORKERS = { TOKENDROP_WORKERS: '2', TOKENDROP_PROCESSES: '1' } as const;

/** Runs `measure` against a daemon of its own. */
export async function withDaemon<T>(
	variables: Record<string, string>,
	measure: (
		url: string,
		account: Installation['demo'],
		installation: Installation,
		daemon: RunningDaemon,
	) => Promise<T>,
): Promise<T> {
	await using t = new Teardowns();
	const installation = await openInstallation(t, {
		variables: { ...BENCH_WORKERS, TOKENDROP_LOG_LEVEL: 'warn', ...variables },
	});
	if (variables.TOKENDROP_DATABASE_URL) await installation.json('migrate');
	const daemon = await installation.start();
	return await measure(daemon.baseUrl, await makeUnlimitedAccount(installation), installation, daemon);
}
