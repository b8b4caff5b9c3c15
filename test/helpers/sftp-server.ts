// Opens a real server on a free port over memory trees, with one user who has a password and one who has a key.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type Defender, defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { type LoginGuard, openLoginGuard } from '../../src/base/defender/login-guard.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import type { SftpIdentity } from '../../src/doors/sftp/identity.ts';
import { defaultSftpLimits, type SftpLimits } from '../../src/doors/sftp/limits.ts';
import { openSftpServer, type SftpServer } from '../../src/doors/sftp/server.ts';
import type { SftpLogger } from '../../src/doors/sftp/session/loggable.ts';
import { generateEd25519Key } from '../../src/doors/sftp/ssh/host-keys.ts';
import type { Tree } from '../../src/work/folders/tree.ts';
import { MemoryTree } from './memory-tree.ts';

export const demoUser = { userName: 'demo', password: 'correct horse 7' };

export interface LogLine {
	readonly level: 'debug' | 'info' | 'warn' | 'error';
	readonly message: string;
	readonly fields: Record<string, unknown>;
}

export interface TestServer extends SftpServer {
	readonly folder: string;
	readonly log: LogLine[];
	readonly defender: Defender;
	/** The public keys with which `demo` may log in, each as `key.toString('base64')` of the wire form. */
	readonly keys: Set<string>;
}

export interface TestServerOptions {
	readonly tree?: Tree;
	readonly limits?: Partial<SftpLimits>;
	readonly identity?: SftpIdentity<string>;
	readonly defender?: Defender;
	readonly logins?: LoginGuard;
}

interface Teardown {
	teardown(release: () => Promise<void>): void;
}

/** Starts the server, which is closed when the test ends. */
export async function startServer(t: Teardown, options: TestServerOptions = {}): Promise<TestServer> {
	const folder = await mkdtemp(join(tmpdir(), 'tokendrop-sftp-'));
	const log: LogLine[] = [];
	const keys = new Set<string>();
	const tree = options.tree ?? new MemoryTree();
	const defender = options.defender ?? openDefender(systemClock, { ...defaultDefenderSettings, scoreLimit: 10_000 });
	const server = await openSftpServer<string>({
		host: '127.0.0.1',
		port: 0,
		hostKeys: testHostKeys(),
		identity: options.identity ?? demoIdentity(keys),
		openTree: async () => tree,
		logger: memoryLogger(log),
		limits: { ...defaultSftpLimits, failedLoginDelayMs: 20, ...options.limits },
		defender,
		logins: options.logins ?? openLoginGuard({ defender, clock: systemClock, settings: defaultDefenderSettings }),
		clock: systemClock,
	});
	t.teardown(async () => {
		await server.close(0);
		await rm(folder, { recursive: true });
	});
	return { ...server, folder, log, keys, defender };
}

let hostKeys: readonly string[] | undefined;

/**
 * Returns the host keys of every server of this process, which shares them because making them takes longer than most
 * tests. RSA keys have 2048 bits: making one of 3072 takes seconds on a busy machine.
 */
function testHostKeys(): readonly string[] {
	if (hostKeys) return hostKeys;
	const rsa = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
	});
	hostKeys = [generateEd25519Key(), rsa.privateKey, ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private];
	return hostKeys;
}

function demoIdentity(keys: ReadonlySet<string>): SftpIdentity<string> {
	return {
		byPassword: async ({ userName, password }) =>
			userName === demoUser.userName && password === demoUser.password ? userName : null,
		byPublicKey: async ({ userName, key }) =>
			userName === demoUser.userName && keys.has(key.toString('base64')) ? userName : null,
		noteLogin: async () => {},
		noteRefusal: () => {},
	};
}

function memoryLogger(log: LogLine[]): SftpLogger {
	const at = (level: LogLine['level']) => (fields: object, message: string) => {
		log.push({ level, message, fields: fields as Record<string, unknown> });
	};
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
