import test from 'ava';
import { type Installation, type InstallationOptions, type RunningDaemon, startInstallation } from './daemon.ts';
import { type Door, demoDoor } from './daemon-clients.ts';

export interface ScenarioDaemon {
	readonly installation: Installation;
	readonly daemon: RunningDaemon;
	/** Returns the door of the demo account. */
	door(): Door;
}

/**
 * Starts one installation and its daemon for all tests of a file. Only tests may use them, because they start before the
 * first test.
 */
export function shareDaemon(options?: InstallationOptions): ScenarioDaemon {
	const releases: (() => unknown)[] = [];
	let started: Awaited<ReturnType<typeof startInstallation>> | undefined;
	const get = () => {
		if (!started) throw new Error('the daemon starts before the first test');
		return started;
	};
	test.before(async () => {
		started = await startInstallation({ teardown: (release) => releases.push(release) }, options);
	});
	test.after.always(async () => {
		for (const release of releases.reverse()) await release();
	});
	return {
		get installation() {
			return get().installation;
		},
		get daemon() {
			return get().daemon;
		},
		door: () => demoDoor(get().installation, get().daemon),
	};
}
