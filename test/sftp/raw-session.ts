// Opens a session on a channel that is not SSH: both ends are in this process, so that a test sees exactly what is held.
import { Duplex, PassThrough } from 'node:stream';
import { systemClock } from '../../src/base/clock.ts';
import { defaultSftpLimits, type SftpLimits } from '../../src/doors/sftp/limits.ts';
import { openFlag, packetType } from '../../src/doors/sftp/protocol/packet.ts';
import { Session } from '../../src/doors/sftp/session/session.ts';
import type { SaidAside } from '../../src/doors/sftp/ssh/said-aside.ts';
import type { Tree } from '../../src/work/folders/tree.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import * as packets from './request-packets.ts';

export interface RawReply {
	readonly type: number;
	readonly id: number;
	/** The bytes that follow the id. */
	readonly body: Buffer;
}

const channelHighWaterMark = 2 * 1024 * 1024;

/** Behaves like a channel of ssh2: takes what is pushed, and accepts writes only as far as the window reaches. */
class FakeChannel extends Duplex {
	exitStatus: number | null = null;
	readonly sent: Buffer[] = [];
	windowBytes = Number.POSITIVE_INFINITY;
	#blocked: (() => void) | null = null;

	constructor() {
		super({ highWaterMark: channelHighWaterMark });
	}

	override _read(): void {}

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		// Like ssh2, this copies what the window takes, and calls back when it has all of it.
		let at = 0;
		const proceed = () => {
			const taken = Buffer.from(chunk.subarray(at, at + this.windowBytes));
			at += taken.length;
			this.windowBytes -= taken.length;
			if (taken.length > 0) this.sent.push(taken);
			if (at < chunk.length) this.#blocked = proceed;
			else done();
		};
		proceed();
	}

	openWindow(bytes: number): void {
		this.windowBytes += bytes;
		const blocked = this.#blocked;
		this.#blocked = null;
		blocked?.();
	}

	exit(status: number): void {
		this.exitStatus = status;
	}
}

export function startSession(options: { tree?: Tree; limits?: Partial<SftpLimits>; aside?: SaidAside } = {}) {
	const channel = new FakeChannel();
	const logged: { fields: Record<string, unknown>; message: string }[] = [];
	const abuses: string[] = [];
	const log = (fields: object, message: string) => {
		logged.push({ fields: fields as Record<string, unknown>, message });
	};
	const session = new Session({
		channel,
		transport: { socket: new PassThrough(), isRekeying: () => false, sent: () => {} },
		tree: options.tree ?? new MemoryTree(),
		id: 'session-1',
		userName: 'demo',
		limits: { ...defaultSftpLimits, ...options.limits },
		allowedBytes: () => Number.POSITIVE_INFINITY,
		onHeld: () => {},
		clock: systemClock,
		logger: { debug: log, info: log, warn: log, error: log },
		onAbuse: (reason) => abuses.push(reason),
		...(options.aside && { aside: options.aside }),
	});
	return {
		session,
		channel,
		logged,
		abuses,
		send(...packets: readonly Buffer[]): void {
			for (const packet of packets) channel.push(packet);
		},
		replies: () => parseReplies(Buffer.concat(channel.sent)),
		/** Returns the reply to `id` once it is there. */
		async reply(id: number): Promise<RawReply> {
			for (let turn = 0; turn < 2000; turn += 1) {
				const found = parseReplies(Buffer.concat(channel.sent)).find(
					(reply) => reply.type !== packetType.version && reply.id === id,
				);
				if (found) return found;
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
			throw new Error(`no reply to request ${id}`);
		},
	};
}

export function parseReplies(bytes: Buffer): RawReply[] {
	const replies: RawReply[] = [];
	for (let at = 0; at + 4 <= bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const packet = bytes.subarray(at + 4, at + 4 + length);
		replies.push({ type: packet[0], id: packet.readUInt32BE(1), body: packet.subarray(5) });
		at += 4 + length;
	}
	return replies;
}

/** Returns the code and the message of a STATUS reply. */
export function statusOf({ type, body }: RawReply): { code: number; message: string } {
	if (type !== packetType.status) throw new Error(`reply of type ${type} is no status`);
	return { code: body.readUInt32BE(0), message: body.toString('utf8', 8, 8 + body.readUInt32BE(4)) };
}

/** Returns the handle of a HANDLE reply. */
export function handleOf({ type, body }: RawReply): Buffer {
	if (type !== packetType.handle) throw new Error(`reply of type ${type} is no handle`);
	return body.subarray(4, 4 + body.readUInt32BE(0));
}

export const forWriting = openFlag.write | openFlag.create | openFlag.truncate;

/** Begins the session and opens its first file, as request 1. */
export async function openFile(raw: ReturnType<typeof startSession>, path: string, flags: number): Promise<Buffer> {
	raw.send(packets.init, packets.open(1, path, flags));
	return handleOf(await raw.reply(1));
}

/** Lets the session do what it can without anything more from outside. */
export async function settle(): Promise<void> {
	for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
