import type { Socket } from 'node:net';
import type {
	AcceptConnection,
	Connection as Client,
	Header,
	Session as Opening,
	RejectConnection,
	ServerChannel,
} from 'ssh2';
import { ML_KEM_EXCHANGE } from '../../../base/ssh/ml-kem-exchange.ts';
import { ReceivedBuffers } from '../../../base/ssh/packet-buffers.ts';
import type { Tree } from '../../../work/folders/tree.ts';
import { ConnectionMemory } from '../memory/connection-memory.ts';
import { loggable } from '../session/loggable.ts';
import { Session } from '../session/session.ts';
import type { ConnectionContext } from './connection-context.ts';
import { disconnectReason, type Goodbye, sendGoodbye } from './disconnect.ts';
import { readFirstGuess } from './first-guess.ts';
import { Login } from './login.ts';
import { Rekeying } from './rekeying.ts';
import { SaidAside, showsCodesOnly } from './said-aside.ts';
import type { Startup } from './startups.ts';

interface LoggedIn {
	readonly userName: string;
	readonly tree: Promise<Tree>;
	readonly sinceMs: number;
	readonly rekeying: Rekeying;
}

const lingerMs = 2_000;
/**
 * A client floods a channel if ssh2 holds more bytes of it than this that our code has not read yet. An honest client
 * never sends more than two SSH windows of 2 MiB ahead, but ssh2 does not check this.
 */
const maxReadAheadBytes = 5 * 1024 * 1024;
/** Our own code stops at 1 MiB of unsent replies, so what is unsent beyond that comes from ssh2 itself. */
const maxUnsentBytes = 16 * 1024 * 1024;
const tooManySessions: Goodbye = {
	reason: disconnectReason.tooManyConnections,
	text: 'too many sessions are open: end one, or try again later',
};
const noMoreLogins: Goodbye = {
	reason: disconnectReason.noMoreLogins,
	text: 'too many login tries on one connection',
};

/**
 * Handles one TCP connection, from accept until everything it held is released. Its states, in this order:
 * - *silent*: the client has not named its SSH version. Only the time for the login runs.
 * - *greeted*: `greet` gives the connection to ssh2, and the client tries to log in.
 * - *logged in*: `#admit` has counted the session and opens the tree. Channels can be opened, each with a `Session`.
 * - *gone*: `#cut` has ended all sessions. Nothing may be written through ssh2 any more, which throws then.
 * - *closed*: the socket is closed and every handle and the tree are released (`closed`).
 *
 * Every state can be the last before *gone*. A connection that drains admits no login and opens no new file, and else
 * stays as it is.
 */
export class Connection<P> {
	readonly address: string;
	/** True if the address had as many connections before the login as it may, so that one was dropped for this one. */
	readonly isOverItsLimit: boolean;
	readonly #startup: Startup;
	readonly #id: string;
	readonly #socket: Socket;
	readonly #context: ConnectionContext<P>;
	readonly #closed = Promise.withResolvers<void>();
	readonly #sessions = new Map<Session, ServerChannel>();
	readonly #memory: ConnectionMemory;
	readonly #graceTimer: NodeJS.Timeout;
	#client: Client | null = null;
	#software = '';
	#loggedIn: LoggedIn | null = null;
	/** True when nothing can be sent any more: ssh2 throws on any use of a connection that failed or ended. */
	#isGone = false;
	#isDraining = false;
	#channels = 0;
	#endReason = 'client left';

	constructor(socket: Socket, address: string, id: string, context: ConnectionContext<P>) {
		this.address = address;
		this.#id = id;
		this.#socket = socket;
		this.#context = context;
		this.#memory = new ConnectionMemory({
			socket,
			held: context.held,
			maxUnansweredBytes: context.limits.maxUnansweredBytes,
			sessions: () => this.#sessions.keys(),
			onReadAgain: () => this.#loggedIn?.rekeying.excuse(),
		});
		const { startup, isOverItsLimit } = context.startups.enter(address, () => this.destroy('made room for another'));
		this.#startup = startup;
		this.isOverItsLimit = isOverItsLimit;
		this.#graceTimer = setTimeout(() => this.destroy('login grace over'), context.limits.loginGraceMs);
		socket.on('drain', () => this.#resumeSessions());
		// These listeners are added before ssh2's own, so that no session writes to a connection that ssh2 has closed.
		socket.on('end', () => this.#cut());
		socket.on('close', () => void this.#release());
		// ssh2 reports these errors too, but only after the client has named its SSH version. Without this listener, an
		// error of the socket before that would be thrown.
		socket.on('error', () => {});
	}

	/** Resolves when the socket is closed, all handles are released and the tree is closed. */
	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	get isBusy(): boolean {
		return [...this.#sessions.keys()].some((session) => session.isBusy);
	}

	/** Lets ssh2 take over the connection, after the client has named its SSH version. */
	greet(client: Client, header: Header): void {
		this.#client = client;
		this.#startup.hasGreeted = true;
		this.#context.outage.announce(client);
		readFirstGuess(client);
		this.#software = header.versions.software;
		const login = new Login<P>({
			...this.#context,
			address: this.address,
			sessionId: this.#id,
			isClosed: () => this.#isGone || this.#loggedIn !== null,
			admit: (userName, principal) => this.#admit(userName, principal),
			onTooManySessions: () => this.end('too many sessions', tooManySessions),
			onTooManyTries: () => this.end('too many login tries', noMoreLogins),
			onNotNoted: () => this.end('login not noted'),
		});
		let handshakes = 0;
		client.on('handshake', ({ kex }) => {
			this.#context.exchanges[(kex as string) === ML_KEM_EXCHANGE ? 'postQuantum' : 'classical']++;
			// Key exchanges cost much computation, and a second one before the login has no honest reason.
			if (++handshakes > 1 && this.#loggedIn === null) this.#abuse('key exchange before login');
		});
		client.on('error', (error: Error) => this.#fail(error));
		client.on('authentication', (attempt) => void login.attempt(attempt).catch((error) => this.#fail(error)));
		client.on('session', (accept, reject) => this.#openSession(accept, reject));
		// This listener is added after ssh2 has added its own, so that no data arrives before ssh2 listens.
		const buffers = new ReceivedBuffers(client, () => this.#sessions.keys());
		this.#socket.on('data', (bytes: Buffer) => {
			this.#guard();
			buffers.passed(bytes);
		});
	}

	/**
	 * Sends a disconnect message, then closes the connection even if the client does not. The reason is logged; the client
	 * is told what `goodbye` says.
	 */
	end(reason: string, goodbye: Goodbye = { reason: disconnectReason.byApplication, text: '' }): void {
		if (this.#isGone) return;
		this.#endReason = reason;
		if (this.#client !== null && this.#socket.writable) sendGoodbye(this.#client, goodbye);
		this.#cut();
	}

	destroy(reason: string): void {
		if (!this.#isGone) this.#endReason = reason;
		this.#cut();
		this.#socket.destroy();
	}

	drain(): void {
		this.#isDraining = true;
		for (const session of this.#sessions.keys()) session.drain();
	}

	/** Checks the time limits of the connection; it is called every second. */
	check(nowMs: number): void {
		this.#memory.count();
		if (this.#loggedIn === null || this.#isGone || this.#memory.isHeldBack) return;
		this.#loggedIn.rekeying.check();
		let activeMs: number | null = this.#loggedIn.sinceMs;
		for (const session of this.#sessions.keys()) {
			const idleSinceMs = session.idleSinceMs();
			if (idleSinceMs === null) return;
			activeMs = Math.max(activeMs, idleSinceMs);
		}
		if (nowMs - activeMs > this.#context.limits.idleTimeoutMs) this.end('idle');
	}

	async #admit(userName: string, principal: P): Promise<boolean> {
		const { admission, startups, limits, clock, openTree } = this.#context;
		if (this.#isDraining || !(await admission.enterSession(this.address, userName))) return false;
		if (this.#isGone || this.#isDraining) {
			admission.leaveSession(this.address, userName);
			return false;
		}
		startups.logIn(this.#startup);
		clearTimeout(this.#graceTimer);
		const tree = openTree(principal, { id: this.#id, address: this.address, end: (reason) => this.end(reason) });
		tree.catch((error) => this.#context.logger.error({ session: this.#id, err: error }, 'sftp tree not opened'));
		const rekeying = new Rekeying({
			client: this.#client!,
			socket: this.#socket,
			limits,
			nowMs: () => clock.now().getTime(),
			onFinished: () => this.#resumeSessions(),
			onStuck: () => this.#abuse('key exchange not answered'),
		});
		this.#loggedIn = { userName, tree, rekeying, sinceMs: clock.now().getTime() };
		return true;
	}

	#openSession(accept: AcceptConnection<Opening>, reject: RejectConnection): void {
		// ssh2 keeps a channel without a subsystem in memory until the connection ends, even after the client has
		// closed it. So such a channel counts towards `maxChannels` until then. A channel with a subsystem counts until
		// it closes.
		if (this.#loggedIn === null || this.#channels >= this.#context.limits.maxChannels) {
			reject();
			return;
		}
		this.#channels += 1;
		// Shell, exec, pty, environment, agent and X11 have no listener, so ssh2 refuses them.
		accept().on('subsystem', (acceptChannel, rejectChannel, { name }) => {
			const channel = name === 'sftp' ? acceptChannel() : undefined;
			if (channel === undefined) return rejectChannel();
			void this.#openChannel(channel, this.#loggedIn!);
		});
	}

	/** Opens a session on a channel once the tree is open. Until then nothing is read, although OpenSSH sends INIT at once. */
	async #openChannel(channel: ServerChannel, { tree: opening, userName, rekeying }: LoggedIn): Promise<void> {
		channel.once('close', () => {
			this.#channels -= 1;
		});
		const tree = await opening.catch(() => null);
		if (this.#isGone) return;
		if (tree === null) {
			channel.exit(1);
			channel.end();
			return;
		}
		const { limits, clock, logger } = this.#context;
		const session = new Session({
			channel,
			tree,
			userName,
			limits,
			allowedBytes: () => this.#memory.allowedBytes(),
			onHeld: () => this.#memory.count(),
			clock,
			logger,
			id: this.#id,
			transport: rekeying,
			onAbuse: (reason) => this.#report(reason),
			...(showsCodesOnly(this.#software) && { aside: new SaidAside(channel.stderr, rekeying) }),
		});
		this.#sessions.set(session, channel);
		if (this.#isDraining) session.drain();
		await session.ended;
		if (!this.#isGone) this.#sessions.delete(session);
	}

	/** Ends the connection if ssh2 holds more memory because of what the client does than it should. */
	#guard(): void {
		this.#memory.count();
		this.#loggedIn?.rekeying.check();
		if (this.#socket.writableLength > maxUnsentBytes) this.#abuse('replies not read');
		for (const channel of this.#sessions.values())
			if (channel.readableLength > maxReadAheadBytes) this.#abuse('window not respected');
	}

	#resumeSessions(): void {
		for (const session of this.#sessions.keys()) session.resume();
		this.#memory.count();
	}

	#fail(error: Error): void {
		const { logger } = this.#context;
		const cause = loggable(error.message);
		logger.debug({ session: this.#id, address: this.address, cause }, 'sftp connection failed');
		if (!this.#isGone) this.#endReason = 'connection failed';
		this.#cut();
	}

	/** Ends the connection. For a short time the socket can still send what is queued. */
	#cut(): void {
		if (this.#isGone) return;
		this.#isGone = true;
		for (const session of this.#sessions.keys()) session.abort();
		this.#memory.end();
		this.#socket.end();
		setTimeout(() => this.#socket.destroy(), lingerMs).unref();
	}

	#abuse(reason: string): void {
		if (this.#isGone) return;
		this.#report(reason);
		this.destroy(reason);
	}

	#report(reason: string): void {
		const { logger, defender } = this.#context;
		logger.warn({ session: this.#id, address: this.address, reason }, 'sftp protocol abused');
		defender.report(this.address, 'protocol-abuse');
	}

	async #release(): Promise<void> {
		this.#cut();
		clearTimeout(this.#graceTimer);
		const { admission, startups, logger, clock, defender, outage } = this.#context;
		if (this.#loggedIn === null) {
			startups.leave(this.#startup);
			const { wasDropped, hasGreeted } = this.#startup;
			// A client that greeted may have wanted to log in. It is not reported if its connection was dropped for another,
			// or if accounts could not be looked up.
			const isExcused = hasGreeted && (wasDropped || outage.isUnderWay);
			if (!isExcused) defender.report(this.address, 'no-login');
			return this.#closed.resolve();
		}
		const { tree, userName, sinceMs } = this.#loggedIn;
		try {
			await Promise.all([...this.#sessions.keys()].map((session) => session.ended));
			await (await tree.catch(() => null))?.close();
		} catch (error) {
			logger.error({ session: this.#id, err: error }, 'sftp session not released');
		}
		this.#sessions.clear();
		this.#memory.count();
		admission.leaveSession(this.address, userName);
		logger.info(
			{
				session: this.#id,
				user: loggable(userName),
				address: this.address,
				client: loggable(this.#software),
				reason: this.#endReason,
				bytesReceived: this.#socket.bytesRead,
				bytesSent: this.#socket.bytesWritten,
				ms: clock.now().getTime() - sinceMs,
			},
			'sftp session ended',
		);
		this.#closed.resolve();
	}
}
