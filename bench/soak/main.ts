// `npm run soak [-- --rounds N] [--json FILE] [KIND …]` harms a daemon under load N times and writes a ledger: what was
// acknowledged in each round, and what was found after it. Without kinds the rounds take turns; kinds that the machine
// cannot do are left out by name. It ends with 1 if anything was lost or wrong.
// `npm run soak -- --hours N [--svg FILE]` runs one daemon under load and draws its resident memory.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Installation, openInstallation, type Teardown } from '../../test/helpers/daemon.ts';
import { countLost, isGood, type LedgerLine, tellLine } from './ledger.ts';
import { startLoad } from './load.ts';
import { drawMemory, quarterSlopes, sampleMemory } from './memory.ts';
import { faultOf, harms, KINDS, type Kind, type Soaked, whyNot } from './rounds.ts';
import { openRouteFeed } from './route-feed.ts';
import { mountSoakDisk } from './soak-disk.ts';

const LOAD_MS = 2_000;
const say = (text: string) => void process.stdout.write(`${text}\n`);

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: Object.fromEntries(['rounds', 'hours', 'json', 'svg'].map((name) => [name, { type: 'string' as const }])),
}) as { values: Partial<Record<'rounds' | 'hours' | 'json' | 'svg', string>>; positionals: string[] };
const releases: (() => unknown)[] = [];
const releaseAll = async () => {
	for (const release of releases.splice(0).reverse()) await release();
};
// A run that is broken off would otherwise leave its daemon and a mounted disk behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.once(signal, () => void releaseAll().finally(() => process.exit(130)));
try {
	const unknown = positionals.find((name) => !(KINDS as readonly string[]).includes(name));
	if (unknown !== undefined) throw new Error(`${unknown} is no kind of round: ${KINDS.join(', ')}`);
	const t = { teardown: (release: () => unknown) => void releases.push(release) };
	const isGoodRun =
		values.hours === undefined
			? await runRounds(t, positive('rounds', values.rounds ?? '12'), positionals as Kind[])
			: await watchMemory(t, positive('hours', values.hours));
	process.exitCode = isGoodRun ? 0 : 1;
} finally {
	await releaseAll();
}

function positive(name: string, text: string): number {
	const number = Number(text);
	if (!(number > 0)) throw new Error(`--${name}: expected a number above 0, not ${text}`);
	return number;
}

async function openSoaked(t: Teardown): Promise<Installation> {
	const installation = await openInstallation(t, {
		variables: {
			...{ TOKENDROP_WORKERS: '2', TOKENDROP_LOG_LEVEL: 'info', TOKENDROP_JOBS_LEASE_SECONDS: '5' },
			// The partners of the route are on this machine.
			TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
		},
	});
	return installation;
}

async function runRounds(t: Teardown, rounds: number, kinds: readonly Kind[]): Promise<boolean> {
	const files = mkdtempSync(join(tmpdir(), 'tokendrop-soak-'));
	t.teardown(() => rmSync(files, { recursive: true, force: true }));
	const installation = await openSoaked(t);
	const mounted = mountSoakDisk(t, installation.dataDir, files);
	const disk = typeof mounted === 'string' ? undefined : mounted;
	if (typeof mounted === 'string') say(mounted);
	const canFail = buildFailingSync(installation, files);
	const wanted = kinds.length > 0 ? kinds : KINDS;
	const able = wanted.filter((kind) => {
		const why = whyNot(kind, { disk }, canFail);
		if (why !== undefined) say(`left out: ${kind}, because ${why}`);
		return why === undefined;
	});
	if (able.length === 0) throw new Error('this machine can do none of these rounds');
	let daemon = await installation.start();
	disk?.sync();
	const feed = await openRouteFeed(t, installation);
	const ledger: LedgerLine[] = [];
	const all = { tokens: [] as string[], files: [] as string[] };
	for (let round = 1; round <= rounds; round++) {
		const kind = able[(round - 1) % able.length];
		const soaked: Soaked = { installation, disk, feed, daemon, load: startLoad(installation, () => soaked.daemon) };
		await sleep(LOAD_MS);
		const wrong = [...(await harms[kind](soaked))];
		await sleep(LOAD_MS);
		await soaked.load.end();
		({ daemon } = soaked);
		const { acknowledged } = soaked.load;
		const lost = await countLost(installation, daemon, acknowledged);
		const line = {
			round,
			kind,
			cards: acknowledged.tokens.length,
			files: acknowledged.files.length,
			...lost,
			wrong: [...wrong, ...lost.wrong],
		};
		ledger.push(line);
		say(tellLine(line));
		all.tokens.push(...acknowledged.tokens);
		all.files.push(...acknowledged.files);
	}
	// Everything is asked for once more, because a later round must not lose what an earlier one has kept.
	const lost = await countLost(installation, daemon, all);
	ledger.push({
		round: rounds,
		kind: 'all rounds',
		cards: all.tokens.length,
		files: all.files.length,
		...lost,
	});
	say(tellLine(ledger.at(-1)!));
	if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(ledger, null, '\t')}\n`);
	return ledger.every(isGood);
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
	const installation = await openSoaked(t);
	const daemon = await installation.start();
	const load = startLoad(installation, () => daemon);
	const samples = await sampleMemory(daemon.pid, hours);
	await load.end();
	const slopes = quarterSlopes(samples).map((slope) => slope.toFixed(0));
	say(
		`resident memory: ${samples.at(-1)!.residentMb.toFixed(0)} MB at the end, slopes of the quarters: ${slopes.join(', ')} MB an hour`,
	);
	const svg = values.svg ?? 'soak-memory.svg';
	writeFileSync(svg, drawMemory(samples));
	say(`drawn in ${svg}`);
	return true;
}
