// Shares one PostgreSQL among all test processes of a checkout. It is started by the first that needs it and belongs to a
// keeper process of its own, since test files run in parallel processes that start and end in any order. A test process
// holds the server by an open socket to the keeper: the kernel closes it however the process ends, so the keeper always
// knows who is left.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CITUS_URL } from './citus-url.ts';

const KEEPER = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));
const START_DEADLINE_MS = 90_000;
const RETRY_MS = 100;
/** A keeper that finds another one at work ends at once, so a second spawn does no harm. */
const SPAWN_EVERY_MS = 2_000;

/**
 * The directory of this checkout's keeper, for its socket and its cluster. Its path is short, because a socket's path has
 * at most 104 characters.
 */
export const keeperDirectory = join(
	tmpdir(),
	`tokendrop-pg-${process.getuid?.() ?? 0}-${createHash('sha256').update(KEEPER).digest('hex').slice(0, 8)}`,
);

/** What the keeper sends to whoever connects, as one line of JSON. */
export type KeeperAnswer = { readonly url: string } | { readonly error: string };

let server: Promise<string> | undefined;

/**
 * Returns the address of a PostgreSQL superuser for tests: of the server named by `TEST_DATABASE_URL`, of the coordinator named by
 * `TOKENDROP_TEST_CITUS_URL`, or of the shared one, which is started if it does not run. It stays up at least until this process ends.
 */
export function postgresServerUrl(): Promise<string> {
	const named = CITUS_URL ?? process.env.TEST_DATABASE_URL;
	server ??= named ? Promise.resolve(named) : holdSharedServer();
	return server;
}

async function holdSharedServer(): Promise<string> {
	const deadline = Date.now() + START_DEADLINE_MS;
	let spawnedAt = 0;
	while (Date.now() < deadline) {
		const answer = await askKeeper();
		if (answer && 'url' in answer) return answer.url;
		if (answer) throw new Error(`PostgreSQL for tests: ${answer.error}`);
		if (Date.now() - spawnedAt > SPAWN_EVERY_MS) {
			spawnedAt = Date.now();
			spawnKeeper();
		}
		await sleep(RETRY_MS);
	}
	throw new Error(`PostgreSQL for tests did not start within ${START_DEADLINE_MS} ms; see ${keeperDirectory}`);
}

/** Asks the keeper for its server. Returns undefined if no keeper listens, or if it is about to leave. */
function askKeeper(): Promise<KeeperAnswer | undefined> {
	return new Promise((resolve) => {
		const socket: Socket = connect(join(keeperDirectory, 'keeper.sock'));
		let text = '';
		socket.setEncoding('utf8');
		socket.on('data', (chunk: string) => {
			text += chunk;
			if (!text.endsWith('\n')) return;
			// The socket stays open for as long as this process lives, without keeping it alive.
			socket.unref();
			resolve(JSON.parse(text));
		});
		socket.on('error', () => resolve(undefined));
		socket.on('close', () => resolve(undefined));
	});
}

function spawnKeeper(): void {
	const { PATH, HOME, TMPDIR, LANG } = process.env;
	const keeper = spawn(process.execPath, [KEEPER], {
		detached: true,
		stdio: 'ignore',
		env: { PATH, HOME, TMPDIR, LANG },
	});
	keeper.on('error', () => {});
	keeper.unref();
}
