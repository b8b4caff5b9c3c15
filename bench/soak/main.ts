// Harms daemons under load, and compares what was acknowledged with what is found (`npm run soak -- --help`).

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { type Installation, openInstallation, type RunningDaemon, type Teardown } from '../../test/helpers/daemon.ts';
import { GROWN_KINDS, harmGrown, openGrown } from './grown.ts';
import { watchAway } from './key-away.ts';
import { openKeyService } from './key-service.ts';
import { countLost, isGood, tellLine } from './ledger.ts';
import { startLoad } from './load.ts';
import { drawMemory, quarterSlopes, sampleMemory } from './memory.ts';
import { faultOf, harms, KINDS, type Soaked, whyNot } from './rounds.ts';
import { openRouteFeed } from './route-feed.ts';
import { runRounds, type Scene } from './run-rounds.ts';
import { mountSoakDisk } from './soak-disk.ts';
import { sweepFolders } from './sweep.ts';

const USAGE = `npm run soak [-- [--rounds N] [--json FILE] [KIND …]]
  harms a daemon under load N times (12), and writes a ledger: what was acknowledged in each round, and what was found
  after it. Kinds, which take turns: ${KINDS.join(', ')}.
  Those that this machine cannot do are left out by name.
npm run soak -- --grown [--rounds N] [--json FILE] [KIND …]
  does the same with two daemons on a PostgreSQL primary and its synchronous standby, with their files in radosgw and their
  master key in a key service. Kinds: ${GROWN_KINDS.join(', ')}.
npm run soak -- --key-away MINUTES
  takes the key service away from a daemon under load for so long.
npm run soak -- --hours N [--svg FILE]
  runs one daemon under load and draws its resident memory.
Each ends with 1 if anything was lost, doubled or wrong.
`;
const CARDS = 'select coalesce(sum(live), 0) as cards from pages where written_by is null';
const VARIABLES = {
	TOKENDROP_WORKERS: '2',
	TOKENDROP_LOG_LEVEL: 'info',
	TOKENDROP_JOBS_LEASE_SECONDS: '5',
	// The partners of the route are on this machine.
	TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
};
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Ends the process with what is wrong about its arguments. */
function refuse(message: string): never {
	process.stderr.write(`${message}\n\n${USAGE}`);
	process.exit(64);
}

function readArguments() {
	try {
		return parseArgs({
			allowPositionals: true,
			options: {
				rounds: { type: 'string', default: '12' },
				json: { type: 'string' },
				grown: { type: 'boolean', default: false },
				'key-away': { type: 'string' },
				hours: { type: 'string' },
				svg: { type: 'string', default: 'soak-memory.svg' },
				help: { type: 'boolean', default: false },
			},
		});
	} catch (error) {
		return refuse((error as Error).message);
	}
}

const { values, positionals } = readArguments();
if (values.help) {
	process.stdout.write(USAGE);
	process.exit(0);
}
const releases: (() => unknown)[] = [];
let released: Promise<void> | undefined;
const releaseAll = () => {
	released ??= (async () => {
		for (const release of releases.reverse()) await release();
	})();
	return released;
};
// A run that is broken off would otherwise leave its daemons, servers and a mounted disk behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.once(signal, () => void releaseAll().finally(() => process.exit(130)));
try {
	const t = { teardown: (release: () => unknown) => void releases.push(release) };
	process.exitCode = (await run(t)) ? 0 : 1;
} finally {
	await releaseAll();
}

async function run(t: Teardown): Promise<boolean> {
	if (values.hours !== undefined) return watchMemory(t, positive('hours', values.hours));
	if (values['key-away'] !== undefined) return takeKeyAway(t, positive('key-away', values['key-away']));
	const rounds = positive('rounds', values.rounds);
	const ledger = values.grown
		? await runRounds(t, await openGrownScene(t, chosen(GROWN_KINDS)), rounds, say)
		: await runRounds(t, await openScene(t, chosen(KINDS)), rounds, say);
	if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(ledger, null, '\t')}\n`);
	return ledger.every(isGood);
}

/** Returns the kinds that were asked for, or all. */
function chosen<Kind extends string>(kinds: readonly Kind[]): readonly Kind[] {
	const unknown = positionals.find((name) => !(kinds as readonly string[]).includes(name));
	if (unknown !== undefined) refuse(`${unknown} is no kind of round: ${kinds.join(', ')}`);
	return positionals.length > 0 ? (positionals as Kind[]) : kinds;
}

function positive(name: string, text: string): number {
	const number = Number(text);
	if (!(number > 0)) refuse(`--${name}: expected a number above 0, not ${text}`);
	return number;
}

async function openScene(
	t: Teardown,
	wanted: readonly (typeof KINDS)[number][],
): Promise<Scene<(typeof KINDS)[number]>> {
	const files = mkdtempSync(join(tmpdir(), 'tokendrop-soak-'));
	t.teardown(() => rmSync(files, { recursive: true, force: true }));
	const installation = await openInstallation(t, { variables: VARIABLES });
	const { dataDir, tmpDir } = installation;
	const mounted = mountSoakDisk(t, dataDir, files);
	const disk = typeof mounted === 'string' ? undefined : mounted;
	if (typeof mounted === 'string') say(mounted);
	const canFail = buildFailingSync(installation, files);
	const kinds = wanted.filter((kind) => {
		const why = whyNot(kind, { disk }, canFail);
		if (why !== undefined) say(`left out: ${kind}, because ${why}`);
		return why === undefined;
	});
	if (kinds.length === 0) throw new Error('this machine can do none of these rounds');
	let daemon: RunningDaemon = await installation.start();
	disk?.sync();
	const feed = await openRouteFeed(t, installation);
	return {
		installation,
		kinds,
		hasRoutes: kinds.includes('routes'),
		loadOptions: {},
		current: () => daemon,
		async harm(kind, load) {
			// The load finds a daemon that has taken the place of another as soon as it runs.
			const soaked: Soaked = {
				...{ installation, disk, feed, load },
				get daemon() {
					return daemon;
				},
				set daemon(next) {
					daemon = next;
				},
			};
			return harms[kind](soaked);
		},
		async countCards() {
			const database = new SqliteDatabase(join(dataDir, 'tokendrop.sqlite'), { readonly: true });
			try {
				return Number(database.prepare<[], { cards: number }>(CARDS).get()!.cards);
			} finally {
				database.close();
			}
		},
		sweep: async () => sweepFolders([dataDir, tmpDir]),
	};
}

async function openGrownScene(
	t: Teardown,
	kinds: readonly (typeof GROWN_KINDS)[number][],
): Promise<Scene<(typeof GROWN_KINDS)[number]>> {
	const grown = await openGrown(t, VARIABLES);
	const { installation, daemons, pair } = grown;
	const feed = await openRouteFeed(t, installation);
	return {
		installation,
		kinds,
		hasRoutes: true,
		loadOptions: { pauseMs: 25, hasLargeFiles: true },
		current: () => daemons[Math.floor(Math.random() * daemons.length)],
		// The routes go on in each round, whatever is harmed.
		async harm(kind, load) {
			const wrong: string[] = [];
			return [...(await feed.send(async () => void wrong.push(...(await harmGrown(kind, grown, load))))), ...wrong];
		},
		countCards: async () => Number((await pair.primary.ask(CARDS))[0].cards),
		sweep: grown.sweep,
	};
}

async function takeKeyAway(t: Teardown, minutes: number): Promise<boolean> {
	const installation = await openInstallation(t, { variables: VARIABLES });
	const { service, variables } = await openKeyService(t, installation.folder);
	Object.assign(installation.variables, variables);
	const daemon = await installation.start();
	const { away, acknowledged } = await watchAway({ installation, daemon }, service, minutes, say);
	const lost = await countLost(installation, daemon, acknowledged);
	const { cards, files, newcomers } = away;
	const line = { round: 1, kind: 'key-away', cards, files, ...lost, wrong: [...away.wrong, ...lost.wrong] };
	say(`${away.minutes.toFixed(1)} minutes away; ${newcomers} accounts got their first keys`);
	say(tellLine(line));
	return isGood(line);
}

/** Builds the library that makes syncs fail, and lets daemons load it. Returns false if there is no compiler. */
function buildFailingSync(installation: Installation, folder: string): boolean {
	const library = join(folder, 'failing-sync.so');
	const source = fileURLToPath(new URL('failing-sync.c', import.meta.url));
	try {
		execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'pipe' });
	} catch {
		return false;
	}
	installation.variables.LD_PRELOAD = library;
	installation.variables.SOAK_FAULT = faultOf(installation);
	return true;
}

async function watchMemory(t: Teardown, hours: number): Promise<boolean> {
	const installation = await openInstallation(t, { variables: VARIABLES });
	const daemon = await installation.start();
	const load = startLoad(installation, () => daemon);
	const samples = await sampleMemory(daemon.pid, hours);
	await load.end();
	const slopes = quarterSlopes(samples).map((slope) => slope.toFixed(0));
	say(
		`resident memory: ${samples.at(-1)!.residentMb.toFixed(0)} MB at the end, slopes of the quarters: ${slopes.join(', ')} MB an hour`,
	);
	const { svg } = values;
	writeFileSync(svg, drawMemory(samples));
	say(`drawn in ${svg}`);
	return true;
}
