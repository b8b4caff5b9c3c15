// The kinds of rounds. Each does harm to an installation under load, and leaves a daemon running.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, RunningDaemon } from '../../test/helpers/daemon.ts';
import type { Load } from './load.ts';
import type { RouteFeed } from './route-feed.ts';
import type { SoakDisk } from './soak-disk.ts';

export const KINDS = ['kill', 'routes', 'pause', 'failed-sync', 'full-disk', 'log-gone', 'power-failure'] as const;
export type Kind = (typeof KINDS)[number];

const PAUSED_MS = 3_000;
const ENDS_WITHIN_MS = 15_000;

export interface Soaked {
	readonly installation: Installation;
	readonly load: Load;
	/** Undefined if the machine can give the installation no disk of its own. */
	readonly disk: SoakDisk | undefined;
	/** The route whose files must arrive whatever happens; only rounds of the kind `routes` need it. */
	readonly feed?: RouteFeed;
	/** The running daemon, which a round may replace. */
	daemon: RunningDaemon;
}

/** Does the harm of a kind. Returns what was not as it should be, beside what the ledger says later. */
export const harms: Readonly<Record<Kind, (soaked: Soaked) => Promise<readonly string[]>>> = {
	async kill(soaked) {
		await restart(soaked);
		return [];
	},
	/** Kills the daemon at a random moment of the runs of a route. */
	routes: (soaked) => soaked.feed!.send(() => restart(soaked)),
	async pause({ daemon: { pid } }) {
		process.kill(pid, 'SIGSTOP');
		await sleep(PAUSED_MS);
		process.kill(pid, 'SIGCONT');
		return [];
	},
	async 'failed-sync'(soaked) {
		writeFileSync(faultOf(soaked.installation), '');
		// What is acknowledged from now on must survive, although the failed sync took it for written.
		await sleep(PAUSED_MS);
		await restart(soaked, () => soaked.disk?.losePower());
		return [];
	},
	async 'full-disk'(soaked) {
		const makeSpace = soaked.disk!.fill();
		await sleep(PAUSED_MS);
		makeSpace();
		if (isRunning(soaked.daemon)) return [];
		await restart(soaked);
		return ['the daemon ended because its disk was full'];
	},
	async 'log-gone'(soaked) {
		soaked.daemon.closeLog();
		const before = soaked.load.acknowledged.tokens.length;
		await sleep(PAUSED_MS);
		const wrong: string[] = [];
		if (!isRunning(soaked.daemon)) wrong.push('the daemon ended because its log was gone');
		else if (soaked.load.acknowledged.tokens.length === before) wrong.push('no card was stored without the log');
		// The next rounds need the log again.
		await restart(soaked);
		return wrong;
	},
	async 'power-failure'(soaked) {
		await restart(soaked, () => soaked.disk!.losePower());
		return [];
	},
};

/** Returns why a kind cannot be done here, or undefined if it can. */
export function whyNot(kind: Kind, soaked: Pick<Soaked, 'disk'>, canFail: boolean): string | undefined {
	const needsDisk = kind === 'full-disk' || kind === 'power-failure' || kind === 'failed-sync';
	if (needsDisk && soaked.disk === undefined) return 'there is no disk of its own here';
	return kind === 'failed-sync' && !canFail ? 'there is no compiler (cc) for the failing sync' : undefined;
}

/** The file whose presence makes the next sync fail (failing-sync.c). */
export function faultOf({ tmpDir }: Pick<Installation, 'tmpDir'>): string {
	return join(tmpDir, 'fail-the-next-sync');
}

async function restart(soaked: Soaked, meanwhile: () => void = () => {}): Promise<void> {
	const { daemon, installation } = soaked;
	await daemon.kill();
	// The kernel may use the files of a killed process for a moment longer.
	for (const until = performance.now() + ENDS_WITHIN_MS; isRunning(daemon) && performance.now() < until; )
		await sleep(20);
	meanwhile();
	soaked.daemon = await installation.start();
}

function isRunning({ pid }: RunningDaemon): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
