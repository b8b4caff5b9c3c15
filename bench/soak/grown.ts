// A grown installation: two daemons on a PostgreSQL primary with a synchronous standby, their files in radosgw, their master
// key in a key service. Its rounds take away a part of it under load, and leave all of it running.

import { setTimeout as sleep } from 'node:timers/promises';
import { bucketVariables } from '../../test/helpers/bucket-variables.ts';
import { type Installation, openInstallation, type RunningDaemon, type Teardown } from '../../test/helpers/daemon.ts';
import type { TransitDouble } from '../../test/helpers/key-services/transit-server.ts';
import { type PostgresPair, startPostgresPair } from '../../test/helpers/postgres-pair.ts';
import { type Radosgw, startRadosgw } from '../../test/helpers/radosgw.ts';
import { openKeyService } from './key-service.ts';
import type { Load } from './load.ts';
import { bucketSweeper, sweepFolders } from './sweep.ts';

export const GROWN_KINDS = [
	'kill-one',
	'kill-both',
	'failover',
	'frozen-primary',
	'gateway-killed',
	'gateway-frozen',
	'key-away',
	'key-sealed',
	'lease-lost',
] as const;
export type GrownKind = (typeof GROWN_KINDS)[number];

const AWAY_MS = 3_000;
/** A frozen primary is left within this time. */
const FROZEN_MS = 8_000;
/** A daemon asks its key service every ten seconds. */
const SEALED_MS = 12_000;
const LEASE_SECONDS = 5;
const PAUSED_MS = 2.5 * LEASE_SECONDS * 1_000;
/** Cards are stored again within this time after a harm. */
const WELL_WITHIN_MS = 30_000;

export interface Grown {
	readonly installation: Installation;
	readonly pair: PostgresPair;
	readonly radosgw: Radosgw;
	readonly service: TransitDouble;
	/** The running daemons; a round may replace them. */
	readonly daemons: RunningDaemon[];
	/** Returns where clear card numbers were found. */
	sweep(): Promise<string[]>;
}

/** Starts all of it, which takes half a minute. */
export async function openGrown(t: Teardown, variables: Readonly<Record<string, string>>): Promise<Grown> {
	const pair = await startPostgresPair(t);
	await pair.replicateSynchronously();
	const radosgw = await startRadosgw(t);
	const place = radosgw.makePlace('soak/');
	const installation = await openInstallation(t, {
		variables: {
			...variables,
			TOKENDROP_DATABASE_URL: pair.url,
			TOKENDROP_JOBS_LEASE_SECONDS: String(LEASE_SECONDS),
		},
	});
	const { folder, dataDir, tmpDir } = installation;
	const { service, variables: ofKeys } = await openKeyService(t, folder);
	Object.assign(installation.variables, bucketVariables(place, `${folder}/bucket-secret`), ofKeys);
	await installation.json('migrate');
	const daemons = [await installation.start(), await installation.start()];
	const sweepBucket = bucketSweeper(place);
	return {
		...{ installation, pair, radosgw, service, daemons },
		async sweep() {
			const folders = [dataDir, tmpDir, radosgw.folder, pair.primary.databaseDir, pair.standby.databaseDir];
			return [...sweepFolders(folders), ...(await sweepBucket())];
		},
	};
}

/** Does the harm of a kind, and puts everything right again. Returns what was not as it should be. */
export async function harmGrown(kind: GrownKind, grown: Grown, load: Load): Promise<string[]> {
	const wrong = await harms[kind](grown, load);
	// In the end all is well again: cards are stored and files are taken.
	await grows(load, WELL_WITHIN_MS).catch(() => wrong.push('no card and no file was taken after the harm'));
	return wrong;
}

const harms: Readonly<Record<GrownKind, (grown: Grown, load: Load) => Promise<string[]>>> = {
	async 'kill-one'({ installation, daemons }) {
		const nth = any(daemons);
		await daemons[nth].kill();
		await sleep(AWAY_MS);
		daemons[nth] = await installation.start();
		return [];
	},
	async 'kill-both'({ installation, daemons }) {
		await Promise.all(daemons.map((each) => each.kill()));
		daemons.splice(0, 2, ...(await Promise.all([installation.start(), installation.start()])));
		return [];
	},
	async failover({ pair }) {
		await pair.primary.losePower();
		await pair.promote();
		await sleep(AWAY_MS);
		await pair.rejoin();
		await pair.replicateSynchronously();
		return [];
	},
	async 'frozen-primary'({ pair }) {
		pair.primary.freeze();
		await pair.promote();
		await sleep(FROZEN_MS);
		// Whoever promotes a server makes sure that the former one does not go on.
		await pair.primary.losePower();
		await pair.rejoin();
		await pair.replicateSynchronously();
		return [];
	},
	async 'gateway-killed'({ radosgw: { gateway } }, load) {
		await gateway.kill();
		const wrong = await cardsGoOn(load, AWAY_MS);
		await gateway.start();
		return wrong;
	},
	async 'gateway-frozen'({ radosgw: { gateway } }, load) {
		gateway.freeze();
		const wrong = await cardsGoOn(load, FROZEN_MS);
		gateway.thaw();
		return wrong;
	},
	async 'key-away'({ installation, daemons, service }, load) {
		await service.goAway();
		const nth = any(daemons);
		await daemons[nth].kill();
		const wrong: string[] = [];
		const starting = installation.start().then(
			(started) => {
				wrong.push('a daemon started without its key service');
				return started;
			},
			(error: Error) => {
				if (!/cannot be reached: .*Bring the service back/.test(error.message)) wrong.push(error.message);
			},
		);
		wrong.push(...(await cardsGoOn(load, AWAY_MS)));
		const started = await starting;
		await service.comeBack();
		daemons[nth] = started ?? (await installation.start());
		return wrong;
	},
	async 'key-sealed'({ service }, load) {
		service.state = 'sealed';
		const wrong = await cardsGoOn(load, SEALED_MS);
		service.state = 'active';
		return wrong;
	},
	async 'lease-lost'({ daemons }) {
		const { pid } = daemons[any(daemons)];
		process.kill(pid, 'SIGSTOP');
		await sleep(PAUSED_MS);
		process.kill(pid, 'SIGCONT');
		return [];
	},
};

function any(daemons: readonly RunningDaemon[]): number {
	return Math.floor(Math.random() * daemons.length);
}

/** Waits, and returns whether cards were stored meanwhile, which need nothing of what is away. */
async function cardsGoOn({ acknowledged: { tokens } }: Load, ms: number): Promise<string[]> {
	const before = tokens.length;
	await sleep(ms);
	return tokens.length > before ? [] : ['no card was stored meanwhile'];
}

async function grows({ acknowledged: { tokens, files } }: Load, withinMs: number): Promise<void> {
	const before = [tokens.length, files.length];
	const until = performance.now() + withinMs;
	while (tokens.length === before[0] || files.length === before[1]) {
		if (performance.now() > until) throw new Error('nothing grows');
		await sleep(50);
	}
}
