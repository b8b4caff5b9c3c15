// Runs the real daemon as a process of its own, with its own data directory. The scenarios are tests of it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { openDaemonRooms, type Rooms } from '../../src/assembly/open-rooms.ts';
import type { Dialect } from '../../src/database/dialect.ts';
import type { BlobStore } from '../../src/drops/blob-store.ts';
import { dropBlobs } from '../../src/drops/drop-blobs.ts';
import { Releases } from '../../src/lifecycle.ts';
import { runCommandLine } from '../../src/main.ts';
import { loadSettings } from '../../src/settings.ts';
import { openTestDatabase } from './database.ts';
import { type Outcome, run } from './ssh-clients.ts';
import { startFlags, startVariables } from './start-command.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_WITHIN_MS = 30_000;

/** The part of a test that releases what was opened. A hook can provide one too. */
export interface Teardown {
	teardown(release: () => unknown): void;
}

export interface InstallationOptions {
	readonly dialect?: Dialect;
	/** Variables `TOKENDROP_*` that replace those of every scenario. */
	readonly variables?: Readonly<Record<string, string>>;
}

export interface RunningDaemon {
	readonly pid: number;
	/** The address of the HTTP interface. */
	readonly baseUrl: string;
	readonly sftpPort: number;
	readonly opsPort: number;
	readonly fingerprints: readonly string[];
	/** The text that the daemon has written to standard error so far. */
	log(): string;
	/** Sends SIGKILL, so that the daemon can neither say nor close anything. */
	kill(): Promise<void>;
	/** Sends SIGTERM and returns the exit code. */
	stop(): Promise<number | null>;
}

/** Opens the database, keys and identity in the test's own process, beside the daemon. */
export type OpenedRooms = Rooms & { readonly blobs: BlobStore };

export interface Installation {
	/** The data directory of the daemon. */
	readonly dataDir: string;
	/** The temporary directory of the daemon's processes. */
	readonly tmpDir: string;
	/** A folder for files that clients read and write; the daemon does not use it. */
	readonly folder: string;
	/** The variables for later starts and commands; a test changes them in place. */
	readonly variables: Record<string, string>;
	/**
	 * The account of the first start.
	 * @throws before that start
	 */
	readonly demo: { readonly userId: string; readonly apiKey: string };
	/** Starts a daemon and waits until it is ready. On PostgreSQL there may be several. */
	start(): Promise<RunningDaemon>;
	/** Runs a command line beside the daemon, with `--json`, as a program of its own. */
	program(...argv: string[]): Promise<Outcome>;
	/**
	 * Runs a command line within this process, which is ten times faster. On the embedded database only one can run at a
	 * time.
	 */
	command(...argv: string[]): Promise<Outcome>;
	/** Runs a command that must succeed, and returns its result. */
	// biome-ignore lint/suspicious/noExplicitAny: every command has its own result
	json(...argv: string[]): Promise<any>;
	/** The daemon's database, keys and identity, opened in this process too and closed with the test. */
	rooms(): Promise<OpenedRooms>;
	/** Everything that daemons and commands have written to their terminals. */
	said(): string;
}

/** Makes a directory and a database, but starts no daemon. Everything is removed with the test. */
export async function openInstallation(t: Teardown, options: InstallationOptions = {}): Promise<Installation> {
	const root = mkdtempSync(join(tmpdir(), 'tokendrop-scenario-'));
	const children = new Set<ChildProcess>();
	t.teardown(() => rmSync(root, { recursive: true, force: true }));
	const variables = { ...(await variablesOf(t, root, options)) };
	t.teardown(() => Promise.all([...children].map((child) => killed(child))));
	const [dataDir, tmpDir, folder] = ['data', 'tmp', 'client'].map((name) => join(root, name));
	for (const each of [dataDir, tmpDir, folder]) mkdirSync(each);
	let said = '';
	let demo: Installation['demo'] | undefined;
	let rooms: Promise<OpenedRooms> | undefined;
	const env = () => ({ ...cleanEnvironment(), TMPDIR: tmpDir, ...variables });
	const noted = async (outcome: Promise<Outcome>) => {
		const { stdout, stderr } = await outcome;
		said += stdout + stderr;
		return outcome;
	};
	const command = (...argv: string[]) => noted(runHere(['--json', ...argv], env()));
	return {
		dataDir,
		tmpDir,
		folder,
		variables,
		command,
		program: (...argv) => noted(run(process.execPath, [MAIN, '--json', ...argv], { env: env() })),
		get demo() {
			if (!demo) throw new Error('the demo account is made by the first start');
			return demo;
		},
		async start() {
			if (existsSync(HOST_KEYS) && !existsSync(join(dataDir, 'host-keys'))) {
				cpSync(HOST_KEYS, join(dataDir, 'host-keys'), { recursive: true });
			}
			const child = spawn(process.execPath, [...startFlags, MAIN, '--json', 'serve'], {
				env: { ...startVariables, ...env() },
			});
			children.add(child);
			child.once('exit', () => children.delete(child));
			const ready = await readiness(child, (text) => (said += text));
			demo ??= ready.demo;
			keepHostKeys(dataDir);
			return ready.daemon;
		},
		async json(...argv) {
			const { code, stdout, stderr } = await command(...argv);
			if (code !== 0) throw new Error(`tokendrop ${argv.join(' ')}: exit code ${code}: ${stderr}`);
			return JSON.parse(stdout);
		},
		rooms() {
			rooms ??= openRoomsBeside(t, env());
			return rooms;
		},
		said: () => said,
	};
}

/** Makes an installation and starts its first daemon. */
export async function startInstallation(
	t: Teardown,
	options?: InstallationOptions,
): Promise<{ installation: Installation; daemon: RunningDaemon }> {
	const installation = await openInstallation(t, options);
	return { installation, daemon: await installation.start() };
}

async function variablesOf(t: Teardown, root: string, { dialect = 'sqlite', variables }: InstallationOptions) {
	const database = dialect === 'postgres' ? await openTestDatabase(t as ExecutionContext, dialect) : undefined;
	return {
		TOKENDROP_DATA_DIR: join(root, 'data'),
		...(database && { TOKENDROP_DATABASE_URL: database.url }),
		TOKENDROP_HTTP_PORT: '0',
		TOKENDROP_SFTP_PORT: '0',
		TOKENDROP_OPS_PORT: '0',
		TOKENDROP_WORKERS: '2',
		// The limits on file sizes are off, because scenarios use files of any size.
		TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '1000000000',
		// The limits on failed logins are off, because scenarios fail to log in on purpose, all from one address.
		TOKENDROP_DEFENDER_SCORE_LIMIT: '1000000',
		TOKENDROP_SFTP_FAILED_LOGIN_DELAY_MS: '50',
		...variables,
	};
}

async function runHere(argv: readonly string[], env: Record<string, string>): Promise<Outcome> {
	let [stdout, stderr] = ['', ''];
	const code = await runCommandLine({
		argv,
		env,
		stdout: { write: (text) => (stdout += text) },
		stderr: { write: (text) => (stderr += text) },
	});
	return { code, stdout, stderr };
}

/** Variables of the shell are left out, because they may be about another installation. */
function cleanEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(([name]) => !/^(TOKENDROP|NODE)_/.test(name));
	return Object.fromEntries(entries) as Record<string, string>;
}

function readiness(child: ChildProcess, onText: (text: string) => void) {
	let stdout = '';
	let log = '';
	child.stderr!.setEncoding('utf8').on('data', (text: string) => {
		log += text;
		onText(text);
	});
	return new Promise<{ daemon: RunningDaemon; demo: Installation['demo'] | undefined }>((resolve, reject) => {
		const fail = (what: string, cause?: Error) => {
			clearTimeout(timer);
			reject(new Error(`the daemon ${what}: ${log}`, { cause }));
		};
		const timer = setTimeout(fail, START_WITHIN_MS, 'is not ready in time');
		child.once('error', (error) => fail('cannot be started', error));
		child.once('exit', (code) => fail(`ended with code ${code} before it was ready`));
		child.stdout!.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			onText(text);
			if (!stdout.endsWith('\n')) return;
			clearTimeout(timer);
			const { baseUrl, sftpPort, opsPort, fingerprints, demo } = JSON.parse(stdout);
			const daemon: RunningDaemon = {
				...{ pid: child.pid!, baseUrl, sftpPort, opsPort, fingerprints },
				log: () => log,
				kill: () => killed(child),
				stop: () => ended(child, 'SIGTERM'),
			};
			resolve({ daemon, demo: demo ?? undefined });
		});
	});
}

async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
	if (child.exitCode === null && child.signalCode === null) {
		// The event `close` is used rather than `exit`, so that everything the process wrote has arrived.
		const closed = once(child, 'close');
		child.kill(signal);
		await closed;
	}
	return child.exitCode;
}

async function killed(child: ChildProcess): Promise<void> {
	await ended(child, 'SIGKILL');
}

/**
 * The host keys of the first installation are used for all others of the test run, because making an RSA key takes a
 * second or more. They are used in tests only.
 */
const HOST_KEYS = join(tmpdir(), `tokendrop-host-keys-${process.getuid?.() ?? 0}`);

function keepHostKeys(dataDir: string): void {
	if (existsSync(HOST_KEYS)) return;
	const draft = mkdtempSync(`${HOST_KEYS}-`);
	cpSync(join(dataDir, 'host-keys'), draft, { recursive: true });
	try {
		renameSync(draft, HOST_KEYS);
	} catch {
		// This happens if another process was faster.
		rmSync(draft, { recursive: true, force: true });
	}
}

async function openRoomsBeside(t: Teardown, env: Record<string, string>): Promise<OpenedRooms> {
	const settings = loadSettings({ env });
	const releases = new Releases();
	t.teardown(() => releases.release());
	const rooms = await openDaemonRooms({ settings, opened: (name, resource) => releases.opened(name, resource) });
	return { ...rooms, blobs: dropBlobs(settings) };
}
