// Demonstrates the whole product: a daemon in a temporary folder, with the system's `sftp` as the client, and a route from
// and to a partner's server.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formats } from '../../../formats/index.ts';
import { systemClock } from '../../base/clock.ts';
import { defaultDefenderSettings, openDefender } from '../../base/defender/defender.ts';
import { openLoginGuard } from '../../base/defender/login-guard.ts';
import { defaultSftpLimits } from '../../doors/sftp/limits.ts';
import { openSftpServer } from '../../doors/sftp/server.ts';
import { generateEd25519Key } from '../../doors/sftp/ssh/host-keys.ts';
import { MemoryTree } from './memory-tree.ts';

export interface DemoRow {
	readonly file: string;
	readonly cards: number;
	readonly refused: number;
	readonly bytes: number;
	/** The time in milliseconds from the start of the upload, or from when a partner had the file, until it was back. */
	readonly ms: number;
	readonly isIdentical: boolean;
}

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const FIXTURES = new URL('../../../fixtures/', import.meta.url);
const TRIES = 100;
const RETRY_MS = 100;
/** A route looks every few seconds, so it has this many times the tries of an upload. */
const ROUTE_PATIENCE = 6;

interface Running {
	readonly port: number;
	readonly user: string;
	readonly key: string;
	readonly folder: string;
	readonly env: NodeJS.ProcessEnv;
	readonly interrupted: AbortSignal;
}

/**
 * Runs the demonstration with every format; `say` receives the progress. Everything that it created is removed at the
 * end, which comes early if `interrupted` is aborted.
 */
export async function runDemo(say: (text: string) => void, interrupted: AbortSignal): Promise<DemoRow[]> {
	const folder = await mkdtemp(join(tmpdir(), 'tokendrop-demo-'));
	let daemon: ChildProcess | undefined;
	let partner: DemoPartner | undefined;
	try {
		const env = demoEnvironment(folder);
		daemon = spawn(process.execPath, [MAIN, '--json', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
		say('starting a daemon on free ports; its first start makes keys, which takes a few seconds');
		const running = { folder, env, interrupted, ...(await readAnnouncement(daemon, interrupted)) };
		const rows: DemoRow[] = [];
		for (const filter of formats.keys()) rows.push(await thereAndBack(running, filter));
		partner = await openDemoPartner();
		say(`a route that collects from out/ of a partner's server every five seconds, and delivers to in/ there`);
		rows.push(await byRoute(running, partner));
		return rows;
	} finally {
		await partner?.close();
		if (daemon && daemon.exitCode === null) {
			daemon.kill('SIGTERM');
			await once(daemon, 'exit');
		}
		await rm(folder, { recursive: true, force: true });
	}
}

function demoEnvironment(folder: string): NodeJS.ProcessEnv {
	const { PATH, HOME, LANG } = process.env;
	return {
		PATH,
		HOME,
		LANG,
		TOKENDROP_DATA_DIR: join(folder, 'data'),
		TOKENDROP_HTTP_PORT: '0',
		TOKENDROP_SFTP_PORT: '0',
		TOKENDROP_OPS_PORT: '0',
		TOKENDROP_LOG_LEVEL: 'warn',
		// The partner of the demonstration is on this machine.
		TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
	};
}

async function readAnnouncement(
	daemon: ChildProcess,
	interrupted: AbortSignal,
): Promise<Pick<Running, 'port' | 'user' | 'key'>> {
	const lines = createInterface({ input: daemon.stdout! });
	const ended = once(daemon, 'exit').then(([code]) => {
		throw new Error(`the daemon ended with code ${code} before it was ready`);
	});
	const [line] = (await Promise.race([once(lines, 'line', { signal: interrupted }), ended])) as [string];
	const { sftpPort, demo } = JSON.parse(line);
	return { port: sftpPort, user: demo.userId, key: demo.apiKey };
}

async function thereAndBack(running: Running, filter: string): Promise<DemoRow> {
	const { input, name, config } = await findFixture(filter);
	if (config) await putOptions(running, filter, config);
	const local = (suffix: string) => join(running.folder, `${filter}-${suffix}`);
	const started = performance.now();
	await sftp(running, `put "${fileURLToPath(input)}" "/tokenize/${filter}/${name}"`);
	await fetch(running, `/tokenized/${filter}/${name}`, local('tokens'));
	await sftp(running, `put "${local('tokens')}" "/detokenize/${filter}/${name}"`);
	await fetch(running, `/detokenized/${filter}/${name}`, local('back'));
	const ms = Math.round(performance.now() - started);
	const report = await readReport(running, filter, local('reports'));
	const [original, back] = [await readFile(input), await readFile(local('back'))];
	return {
		file: `${filter}/${name}`,
		cards: report.cards,
		refused: report.refused,
		bytes: original.length,
		ms,
		isIdentical: original.equals(back),
	};
}

/** Lets a route collect a file from a partner as soon as it is there, and deliver it there with tokens. */
async function byRoute(running: Running, partner: DemoPartner): Promise<DemoRow> {
	const filter = 'SIMPLECSV';
	const { input, name } = await findFixture(filter);
	const original = await readFile(input);
	const { port, userName, hostKey, tree } = partner;
	const destination = { name: 'partner', host: '127.0.0.1', port, userName, hostKeys: [hostKey] };
	const password = join(running.folder, 'partner-password');
	await writeFile(password, partner.password, { mode: 0o600 });
	await putDocument(running, 'destination', destination, ['--password-file', password]);
	await putDocument(running, 'route', {
		name: 'bookings',
		from: { destination: 'partner', path: 'out', ready: { unchanged: '0s' }, afterwards: 'delete' },
		do: { operation: 'tokenize', filter },
		to: { destination: 'partner', path: 'in' },
		when: { every: '5s' },
	});
	const started = performance.now();
	tree.put(`/out/${name}`, original);
	// The source is deleted as the last step.
	for (let tries = 1; !tree.files.has(`/in/${name}`) || tree.files.has(`/out/${name}`); tries++) {
		if (tries > TRIES * ROUTE_PATIENCE) throw new Error(`the route has not delivered ${name}`);
		await sleep(RETRY_MS, undefined, { signal: running.interrupted });
	}
	const ms = Math.round(performance.now() - started);
	const local = (suffix: string) => join(running.folder, `route-${suffix}`);
	await writeFile(local('tokens'), tree.getBytes(`/in/${name}`));
	await sftp(running, `put "${local('tokens')}" "/detokenize/${filter}/route-${name}"`);
	await fetch(running, `/detokenized/${filter}/route-${name}`, local('back'));
	const history = await tokendrop(running, ['route', 'history', '--name', 'bookings', '--json']);
	const [{ files }] = JSON.parse(history).filter((each: { files: unknown[] }) => each.files.length > 0);
	const [{ cards, refused }] = files;
	const isIdentical = original.equals(await readFile(local('back')));
	return { file: `route out/${name} to in/`, cards, refused, bytes: original.length, ms, isIdentical };
}

async function putDocument(
	running: Running,
	what: 'destination' | 'route',
	document: object,
	more: readonly string[] = [],
): Promise<void> {
	const file = join(running.folder, `${what}.json`);
	await writeFile(file, JSON.stringify(document));
	await tokendrop(running, [what, 'put', '--file', file, ...more]);
}

async function tokendrop(running: Running, [group, verb, ...args]: readonly string[]): Promise<string> {
	return run(process.execPath, [MAIN, group, verb, '--user-id', running.user, ...args], running, '');
}

async function findFixture(filter: string): Promise<{ input: URL; name: string; config?: object }> {
	const folder = new URL(`${filter}/`, FIXTURES);
	const [first] = (await readdir(folder)).sort();
	const files = await readdir(new URL(`${first}/`, folder));
	const input = files.find((file) => file.startsWith('input.'))!;
	const { config } = JSON.parse(await readFile(new URL(`${first}/expected.json`, folder), 'utf8'));
	const needsOptions = filter === 'CSV' && config !== undefined;
	return {
		input: new URL(`${first}/${input}`, folder),
		name: `${first}${input.slice('input'.length)}`,
		...(needsOptions && { config }),
	};
}

async function putOptions(running: Running, filter: string, config: object): Promise<void> {
	const file = join(running.folder, 'options.json');
	await writeFile(file, JSON.stringify(config));
	await tokendrop(running, ['format-options', 'put', '--filter', filter, '--file', file]);
}

async function fetch(running: Running, path: string, to: string): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			await sftp(running, `get "${path}" "${to}"`);
			return;
		} catch (error) {
			if (tries === TRIES || running.interrupted.aborted) throw error;
			await sleep(RETRY_MS);
		}
	}
}

/** Returns the report of the tokenizing job, which is the earlier of the two reports. */
async function readReport(running: Running, filter: string, to: string): Promise<{ cards: number; refused: number }> {
	const listing = await sftp(running, `ls -1 "/reports/${filter}"`);
	const [path] = listing
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line.endsWith('.json'))
		.sort();
	await sftp(running, `get "${path}" "${to}"`);
	return JSON.parse(await readFile(to, 'utf8'));
}

async function sftp(running: Running, command: string): Promise<string> {
	const askpass = join(running.folder, 'askpass.sh');
	await writeFile(askpass, '#!/bin/sh\nprintf "%s\\n" "$TOKENDROP_DEMO_KEY"\n', { mode: 0o700 });
	const options = [
		['BatchMode', 'no'],
		['StrictHostKeyChecking', 'no'],
		['UserKnownHostsFile', '/dev/null'],
		['LogLevel', 'ERROR'],
		['PreferredAuthentications', 'password'],
		['NumberOfPasswordPrompts', '1'],
	].map(([name, value]) => `-o${name}=${value}`);
	const env = {
		...running.env,
		SSH_ASKPASS: askpass,
		SSH_ASKPASS_REQUIRE: 'force',
		TOKENDROP_DEMO_KEY: running.key,
	};
	const args = [...options, '-b', '-', '-P', String(running.port), `${running.user}@127.0.0.1`];
	return run('sftp', args, { ...running, env }, `${command}\n`);
}

async function run(
	program: string,
	args: readonly string[],
	{ env, interrupted }: Pick<Running, 'env' | 'interrupted'>,
	input: string,
): Promise<string> {
	const child = spawn(program, args, { env, signal: interrupted, stdio: ['pipe', 'pipe', 'pipe'] });
	let output = '';
	let complaint = '';
	child.stdout.on('data', (chunk) => {
		output += chunk;
	});
	child.stderr.on('data', (chunk) => {
		complaint += chunk;
	});
	child.stdin.end(input);
	const [code] = await once(child, 'close');
	if (code !== 0) throw new Error(`${program} ended with code ${code}: ${complaint.trim()}`);
	return output;
}

interface DemoPartner {
	readonly port: number;
	readonly userName: string;
	readonly password: string;
	/** The fingerprint of its key, as `SHA256:…`. */
	readonly hostKey: string;
	readonly tree: MemoryTree;
	close(): Promise<void>;
}

/** Starts the partner on a free port of this machine. Its files are in memory, and its password is a new one. */
async function openDemoPartner(): Promise<DemoPartner> {
	const tree = new MemoryTree(['/out', '/in']);
	const [userName, password] = ['partner', randomBytes(16).toString('hex')];
	const defender = openDefender(systemClock, defaultDefenderSettings);
	const ignore = () => {};
	const server = await openSftpServer<string>({
		host: '127.0.0.1',
		port: 0,
		hostKeys: [generateEd25519Key()],
		identity: {
			byPassword: async (given) => (given.userName === userName && given.password === password ? userName : null),
			byPublicKey: async () => null,
			noteLogin: async () => {},
			noteRefusal: ignore,
		},
		openTree: async () => tree,
		logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
		limits: defaultSftpLimits,
		defender,
		logins: openLoginGuard({ defender, clock: systemClock, settings: defaultDefenderSettings }),
		clock: systemClock,
	});
	const hostKey = server.fingerprints[0].split(' ')[1];
	return { port: server.port, userName, password, hostKey, tree, close: () => server.close(0) };
}
