// Starts the real daemon for scenarios, as a process of its own on a data directory of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { Releases } from '../../src/base/lifecycle.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { type InstallationParts, openDaemonParts } from '../../src/installation/opening/open-parts.ts';
import { dropBlobs } from '../../src/work/drops/drop-blobs.ts';
import { runCommandLine } from './command-line.ts';
import { openTestDatabase, placeMigratedSqlite } from './database.ts';
import { patient } from './patience.ts';
import { type Outcome, run } from './ssh-clients.ts';
import { startFlags, startVariables } from './start-command.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_WITHIN_MS = patient(30_000);

/** The part of a test's context that releases what was opened. A hook, which has no such part, can make one. */
export interface Teardown {
	teardown(release: () => unknown): void;
}

export interface InstallationOptions {
	readonly dialect?: Dialect;
	/** `TOKENDROP_*` variables, which replace those that every scenario has. */
	readonly variables?: Readonly<Record<string, string>>;
}

export interface RunningDaemon {
	readonly pid: number;
	/** The URL of the interface over HTTP. */
	readonly baseUrl: string;
	readonly sftpPort: number;
	readonly opsPort: number;
	readonly fingerprints: readonly string[];
	/** Returns what the daemon has written to standard error so far. */
	log(): string;
	/** Stops reading what the daemon writes to standard error. */
	closeLog(): void;
	/** Kills the daemon with SIGKILL, so that it can neither write nor close anything. */
	kill(): Promise<void>;
	/** Ends the daemon with SIGTERM and returns its exit code. */
	stop(): Promise<number | null>;
	/** Waits until the daemon has ended by itself and returns its exit code. */
	ended(): Promise<number | null>;
}

/** Everything a test may open beside the daemon, in its own process. */
export type OpenedParts = InstallationParts & { readonly blobs: BlobStore };

export interface Installation {
	/** The directory of everything that the daemon keeps. */
	readonly dataDir: string;
	/** The temporary directory of its processes. */
	readonly tmpDir: string;
	/** The folder for files that clients read and write. The daemon does not use it. */
	readonly folder: string;
	/** The variables of later starts and commands. A test changes this object to change them. */
	readonly variables: Record<string, string>;
	/** The account that the first start makes. @throws Error before the first start */
	readonly demo: { readonly userId: string; readonly apiKey: string };
	/**
	 * Starts a daemon and waits until it is ready. On PostgreSQL there may be several at once. It may write its log to a
	 * file, which `log()` and `said()` then do not show.
	 */
	start(logFile?: string): Promise<RunningDaemon>;
	/** Runs a command line with `--json` beside the daemon, in a process of its own. */
	program(...argv: string[]): Promise<Outcome>;
	/** Works as `program` within this process, which is ten times quicker. Only one may run at a time on SQLite. */
	command(...argv: string[]): Promise<Outcome>;
	/** Runs a command that must succeed, and returns its result. */
	// biome-ignore lint/suspicious/noExplicitAny: every command has its own result
	json(...argv: string[]): Promise<any>;
	/** Opens the daemon's database, keys and identity in this process too. They are closed with the test. */
	parts(): Promise<OpenedParts>;
	/** Returns everything that daemons and commands have written to standard output and standard error. */
	said(): string;
}

/** Opens a directory and a database, with no daemon yet. All of it is removed with the test. */
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
	let parts: Promise<OpenedParts> | undefined;
	const env = () => ({ ...cleanEnvironment(), TMPDIR: tmpDir, ...variables });
	const noted = async (outcome: Promise<Outcome>) => {
		const { stdout, stderr } = await outcome;
		said += stdout + stderr;
		return outcome;
	};
	const command = (...argv: string[]) => noted(runHere([...argv, '--json'], env()));
	return {
		dataDir,
		tmpDir,
		folder,
		variables,
		command,
		program: (...argv) => noted(run(process.execPath, [MAIN, ...argv, '--json'], { env: env() })),
		get demo() {
			if (!demo) throw new Error('the demo account is made by the first start');
			return demo;
		},
		async start(logFile) {
			const database = join(dataDir, 'tokendrop.sqlite');
			if (!('TOKENDROP_DATABASE_URL' in variables) && !existsSync(database)) await placeMigratedSqlite(database);
			if (existsSync(HOST_KEYS) && !existsSync(join(dataDir, 'host-keys'))) {
				cpSync(HOST_KEYS, join(dataDir, 'host-keys'), { recursive: true });
			}
			const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
			const child = spawn(process.execPath, [...startFlags, MAIN, 'serve', '--json'], {
				env: { ...startVariables, ...env() },
				stdio: ['pipe', 'pipe', log],
			});
			if (log !== 'pipe') closeSync(log);
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
		parts() {
			parts ??= openPartsBeside(t, env());
			return parts;
		},
		said: () => said,
	};
}

/** Opens an installation and starts its first daemon. */
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
		// One worker is enough, because few scenarios process two files at once, and a thread takes half as long to start as
		// a daemon.
		TOKENDROP_WORKERS: '1',
		// The allowance is so large that the files of no scenario use it up.
		TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '1000000000',
		// Scenarios fail to log in on purpose, all of them from one address, which must not be blocked for that.
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

/**
 * Returns the environment of the tests without variables that may belong to another installation. The compile cache stays,
 * by which one process takes over what another has compiled (ava.config.js), which saves half of the time of a start.
 */
function cleanEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(
		([name]) => name === 'NODE_COMPILE_CACHE' || !/^(TOKENDROP|NODE)_/.test(name),
	);
	return Object.fromEntries(entries) as Record<string, string>;
}

function readiness(child: ChildProcess, onText: (text: string) => void) {
	let stdout = '';
	let log = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
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
				closeLog: () => void child.stderr!.destroy(),
				kill: () => killed(child),
				stop: () => ended(child, 'SIGTERM'),
				ended: () => ended(child),
			};
			resolve({ daemon, demo: demo ?? undefined });
		});
	});
}

async function ended(child: ChildProcess, signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
	if (child.exitCode === null && child.signalCode === null) {
		// `close` comes after `exit`, when all that the process has written has arrived.
		const closed = once(child, 'close');
		if (signal) child.kill(signal);
		await closed;
	}
	return child.exitCode;
}

async function killed(child: ChildProcess): Promise<void> {
	await ended(child, 'SIGKILL');
}

/**
 * The folder that keeps the host keys of the first installation. All others get the same keys, because to make an RSA key
 * takes a second or more. Nobody uses them outside of tests.
 */
const HOST_KEYS = join(tmpdir(), `tokendrop-host-keys-${process.getuid?.() ?? 0}`);

function keepHostKeys(dataDir: string): void {
	if (existsSync(HOST_KEYS)) return;
	const draft = mkdtempSync(`${HOST_KEYS}-`);
	cpSync(join(dataDir, 'host-keys'), draft, { recursive: true });
	try {
		renameSync(draft, HOST_KEYS);
	} catch {
		// Another process was faster, and its keys are as good.
		rmSync(draft, { recursive: true, force: true });
	}
}

async function openPartsBeside(t: Teardown, env: Record<string, string>): Promise<OpenedParts> {
	const settings = loadSettings({ env });
	const releases = new Releases();
	t.teardown(() => releases.release());
	const parts = await openDaemonParts({ settings, opened: (name, resource) => releases.opened(name, resource) });
	return { ...parts, blobs: dropBlobs(settings, parts.database) };
}
