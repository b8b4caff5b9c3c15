import type { Duplex } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import { giveBack } from '../../../base/threads/buffer-memory.ts';
import type { Tree } from '../../../work/folders/tree.ts';
import type { SftpLimits } from '../limits.ts';
import { parseInit, parseRequest, parseRequestId } from '../protocol/decoder.ts';
import { encodeStatus, encodeVersion, type Reply } from '../protocol/encoder.ts';
import { Outbox, type Transport } from '../protocol/outbox.ts';
import { protocolVersion, statusCode } from '../protocol/packet.ts';
import { PacketAssembler } from '../protocol/packet-assembler.ts';
import type { Request } from '../protocol/request.ts';
import { findStatus, UNAVAILABLE } from '../protocol/status.ts';
import type { SaidAside } from '../ssh/said-aside.ts';
import { HandleTable } from './handle-table.ts';
import { SessionEnded } from './handle-turns.ts';
import type { SftpLogger } from './loggable.ts';
import { Operations } from './operations.ts';

export interface SessionOptions {
	/** The raw channel. Its `exit` sends the status that lets a client end cleanly. */
	readonly channel: Duplex & { exit(status: number): void };
	readonly transport: Transport;
	readonly tree: Tree;
	readonly id: string;
	readonly userName: string;
	readonly limits: SftpLimits;
	/** Returns how many bytes of memory the connection may hold now. */
	readonly allowedBytes: () => number;
	/** This function is called when the session holds more or fewer bytes than before. */
	readonly onHeld: () => void;
	readonly clock: Clock;
	readonly logger: SftpLogger;
	/** This function is called when the client broke the protocol; the channel then ends. */
	readonly onAbuse: (reason: string) => void;
	/** Shows errors to a client that does not show the texts of replies. */
	readonly aside?: SaidAside;
}

/** Clients use these requests to check whether a file exists, so their failures are not shown as errors. */
const looks = new Set(['attributes', 'handle-attributes']);

/** Each request is counted as this many bytes more than its packet has, for its objects in memory and its reply. */
const requestCostBytes = 256;

/**
 * Handles one sftp channel: it reads packets, carries out operations on the tree and sends replies. It takes the next
 * request only while the bytes of taken requests, promised replies and queued replies are below the limits. Until then
 * the channel is paused and the client's SSH window fills up. Its states, in this order:
 * - `before-init`: only INIT is read. Any other packet breaks the session off.
 * - `open`: the client has sent INIT. Requests are taken and answered.
 * - `finishing`: the client has sent EOF. What it had sent before is still carried out and answered.
 * - `ended`: all is answered, the client broke the protocol, or the connection is gone (`abort`). Nothing more is read or
 *   sent; requests that are under way end without a reply, and then the handles are released.
 *
 * A session never goes back to an earlier state. Draining is no state: a session that drains opens no new file, and
 * remains open for those that it has.
 */
export class Session {
	readonly #options: SessionOptions;
	readonly #assembler = new PacketAssembler();
	readonly #handles: HandleTable;
	readonly #operations: Operations;
	readonly #outbox: Outbox;
	readonly #ended = Promise.withResolvers<void>();
	#state: 'before-init' | 'open' | 'finishing' | 'ended' = 'before-init';
	#isDraining = false;
	#isPumping = false;
	#outstanding = 0;
	#unansweredBytes = 0;
	#promisedBytes = 0;
	#receivedChunks = 0;
	#lastProgressMs: number;

	constructor(options: SessionOptions) {
		const { channel, limits, clock, tree, userName } = options;
		this.#options = options;
		this.#lastProgressMs = clock.now().getTime();
		this.#handles = new HandleTable(limits.maxHandles);
		this.#operations = new Operations({
			tree,
			userName,
			clock,
			handles: this.#handles,
			maxHandles: limits.maxHandles,
			id: options.id,
			logger: options.logger,
			findRefusal: () => (this.#isDraining ? 'the server is shutting down, try again in a minute' : null),
		});
		this.#outbox = new Outbox({
			channel,
			transport: options.transport,
			allowedBytes: options.allowedBytes,
			onProgress: () => this.#progressed(),
		});
		channel.on('data', (chunk: Buffer) => this.#receive(chunk));
		channel.on('end', () => this.#finish());
		channel.on('close', () => this.abort());
		channel.on('error', () => this.abort());
	}

	/** Resolves when every handle is released. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** Returns the bytes kept in memory for this client: requests, replies, and what the channel has read ahead. */
	get heldBytes(): number {
		return this.receivedBytes + this.#outbox.heldBytes + this.#promisedBytes;
	}

	/** Returns how many of the bytes in `heldBytes` came from the client. */
	get receivedBytes(): number {
		return this.#assembler.heldBytes + this.#unansweredBytes + this.#options.channel.readableLength;
	}

	get receivedChunks(): number {
		return this.#receivedChunks;
	}

	/** Tells whether the session or its channel still holds chunks that are not used up. */
	get keepsChunks(): boolean {
		return this.#assembler.keepsChunk || this.#options.channel.readableLength > 0;
	}

	/** Tells whether requests are being carried out. They end by themselves, whatever the client does. */
	get isWorking(): boolean {
		return this.#outstanding > 0;
	}

	/** Tells whether ending the session now would interrupt a transfer. */
	get isBusy(): boolean {
		return this.#handles.size > 0 || this.#outstanding > 0 || this.#outbox.heldBytes > 0;
	}

	/** Returns the time of the last request or reply, or null while requests are being carried out. */
	idleSinceMs(): number | null {
		return this.#outstanding > 0 ? null : this.#lastProgressMs;
	}

	/** Makes the session open no new file from now on, so that it soon has nothing left to do. */
	drain(): void {
		this.#isDraining = true;
	}

	/** Goes on sending, because the transport accepts bytes again. */
	resume(): void {
		this.#outbox.flush();
	}

	/**
	 * Ends the session because the connection is gone: nothing more is read or sent, and open handles are abandoned. It
	 * may be called again.
	 */
	abort(): void {
		if (this.#state === 'ended') return;
		this.#state = 'ended';
		this.#outbox.close();
		this.#assembler.clear();
		this.#options.onHeld();
		this.#operations.end().then(this.#ended.resolve, this.#ended.reject);
	}

	#receive(chunk: Buffer): void {
		if (this.#state === 'ended') return;
		this.#receivedChunks += 1;
		this.#lastProgressMs = this.#options.clock.now().getTime();
		this.#assembler.push(chunk);
		this.#pump();
	}

	#progressed(): void {
		this.#lastProgressMs = this.#options.clock.now().getTime();
		this.#pump();
	}

	/** Takes received requests while the limits allow more, and pauses or resumes the channel. */
	#pump(): void {
		if (this.#isPumping) return;
		this.#isPumping = true;
		try {
			while (this.#state !== 'ended' && this.#hasSpace()) {
				const packet = this.#assembler.next();
				if (packet === null) break;
				this.#take(packet);
				this.#options.onHeld();
			}
		} catch (error) {
			this.#breakOff(error);
		} finally {
			this.#isPumping = false;
		}
		if (this.#state === 'ended') return;
		if (this.#hasSpace()) this.#options.channel.resume();
		else this.#options.channel.pause();
		if (this.#state === 'finishing') this.#finishWhenIdle();
		this.#options.onHeld();
	}

	#hasSpace(): boolean {
		const { limits } = this.#options;
		const replyBytes = this.#promisedBytes + this.#outbox.heldBytes;
		const allowed = this.#options.allowedBytes();
		return (
			this.#outstanding < limits.maxOutstandingRequests &&
			this.#unansweredBytes < Math.min(limits.maxUnansweredBytes, allowed) &&
			replyBytes < Math.min(limits.maxQueuedReplyBytes, allowed)
		);
	}

	#take(packet: Buffer): void {
		if (this.#state === 'before-init') {
			if (parseInit(packet) < protocolVersion) throw new Error('client speaks a version before 3');
			this.#state = 'open';
			this.#outbox.push(encodeVersion());
			return;
		}
		const id = parseRequestId(packet);
		let request: Request;
		try {
			request = parseRequest(packet);
		} catch (error) {
			this.#outbox.push(this.#encodeFailure(id, error, 'request'));
			return;
		}
		void this.#perform(request, packet);
	}

	async #perform(request: Request, packet: Buffer): Promise<void> {
		const costBytes = packet.length + requestCostBytes;
		const promisedBytes = request.kind === 'read' ? request.length : 0;
		this.#outstanding += 1;
		this.#unansweredBytes += costBytes;
		this.#promisedBytes += promisedBytes;
		const reply = await this.#reply(request);
		giveBack(packet);
		this.#outstanding -= 1;
		this.#unansweredBytes -= costBytes;
		this.#promisedBytes -= promisedBytes;
		// The next requests are taken when replies are sent, one turn of the event loop later. If they were taken at
		// once, thousands of small requests would be answered without a pause in which other clients are served.
		if (this.#state !== 'ended') this.#outbox.push(reply);
		this.#options.onHeld();
	}

	async #reply(request: Request): Promise<Reply> {
		try {
			return await this.#operations.perform(request);
		} catch (error) {
			return this.#encodeFailure(request.id, error, request.kind);
		}
	}

	#encodeFailure(id: number, error: unknown, kind: string): Reply {
		const status = findStatus(error);
		if ((status === null || status === UNAVAILABLE) && !(error instanceof SessionEnded)) {
			const { id: session, logger } = this.#options;
			logger.error({ session, requestId: id, request: kind, err: error }, 'sftp request failed');
		}
		if (status !== null) {
			if (!looks.has(kind) && this.#state !== 'ended') this.#options.aside?.say(status.message);
			return encodeStatus(id, status.code, status.message);
		}
		return encodeStatus(id, statusCode.failure, 'internal error');
	}

	/**
	 * Ends the channel after the client sent EOF. Its requests are answered first, and then the channel is closed,
	 * because OpenSSH's client would otherwise wait forever.
	 */
	#finish(): void {
		if (this.#state === 'ended') return;
		this.#state = 'finishing';
		this.#pump();
	}

	#finishWhenIdle(): void {
		if (this.#outstanding > 0 || this.#outbox.heldBytes > 0) return;
		this.abort();
		this.#closeChannel(0);
	}

	#breakOff(error: unknown): void {
		this.#options.onAbuse(error instanceof Error ? error.message : 'unreadable packet');
		this.abort();
		this.#closeChannel(1);
	}

	#closeChannel(status: number): void {
		this.#options.channel.exit(status);
		this.#options.channel.end();
		// Data that the client still sends is read and dropped, so that its EOF is seen.
		this.#options.channel.resume();
	}
}
