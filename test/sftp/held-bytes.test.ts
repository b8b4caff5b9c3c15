import test from 'ava';
import fc from 'fast-check';
import { ConnectionMemory } from '../../src/doors/sftp/memory/connection-memory.ts';
import { alwaysAllowedBytes, HeldBytes } from '../../src/doors/sftp/memory/held-bytes.ts';

const kibi = 1024;
const limit = 4 * 1024 * kibi;
/** The largest piece that a socket gives at once. */
const pieceBytes = 64 * kibi;

/** Stands for a client that sends without end. What it sent is answered later, when the test says so. */
class Sender {
	receivedBytes = 0;
	isRead = true;
	readonly memory: ConnectionMemory;

	constructor(held: HeldBytes) {
		this.memory = new ConnectionMemory({
			socket: {
				writableLength: 0,
				pause: () => this.#read(false),
				resume: () => this.#read(true),
			} as never,
			held,
			maxUnansweredBytes: limit,
			sessions: () => [this],
			onReadAgain: () => {},
		});
	}

	get heldBytes(): number {
		return this.receivedBytes;
	}

	get isWorking(): boolean {
		return this.receivedBytes > 0;
	}

	/** Takes a piece from the socket. */
	send(bytes: number): void {
		this.receivedBytes += bytes;
		this.memory.count();
	}

	/** Answers what came so far, or the first part of it. */
	answer(part: number): void {
		this.receivedBytes -= Math.ceil(this.receivedBytes * part);
		this.memory.count();
	}

	leave(): void {
		this.receivedBytes = 0;
		this.memory.end();
	}

	#read(isRead: boolean): undefined {
		this.isRead = isRead;
	}
}

const step = fc.record({
	who: fc.nat(19),
	what: fc.oneof(
		{ weight: 6, arbitrary: fc.integer({ min: 1, max: pieceBytes }).map((bytes) => ({ bytes })) },
		{ weight: 2, arbitrary: fc.double({ min: 0.1, max: 1, noNaN: true }).map((part) => ({ part })) },
	),
});

test('connections hold no more than the limit and a packet each, each goes on, and all of it is given back', (t) => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 400 }), (count, steps) => {
			const held = new HeldBytes(limit);
			const senders = Array.from({ length: count }, () => new Sender(held));
			const most = limit + count * (alwaysAllowedBytes + pieceBytes);
			for (const { who, what } of steps) {
				const sender = senders[who % count];
				if ('part' in what) sender.answer(what.part);
				else if (sender.isRead) sender.send(what.bytes);
				t.is(
					held.bytes,
					senders.reduce((bytes, { heldBytes }) => bytes + heldBytes, 0),
				);
				t.true(held.bytes <= most);
				// The server reads from every client that has nothing under way, whatever the others hold.
				t.true(senders.every(({ isRead, isWorking }) => isRead || isWorking));
			}
			for (const sender of senders) sender.leave();
			t.is(held.bytes, 0);
			t.true(senders.every(({ isRead }) => isRead));
		}),
	);
});

test('one connection may hold most of the memory, and many the same little', (t) => {
	const shareOf = (count: number) => {
		const held = new HeldBytes(limit);
		const senders = Array.from({ length: count }, () => new Sender(held));
		for (let turn = 0; turn < 1000; turn += 1) for (const each of senders) if (each.isRead) each.send(16 * kibi);
		return senders.map(({ heldBytes }) => heldBytes);
	};
	t.true(shareOf(1)[0] > limit / 3);
	const shares = shareOf(8);
	t.true(Math.max(...shares) - Math.min(...shares) <= 32 * kibi, shares.join(' '));
});

test('what arrived of a packet does not keep the rest of it from being read', (t) => {
	const held = new HeldBytes(limit);
	held.add(limit);
	const sender = new Sender(held);
	Object.defineProperty(sender, 'isWorking', { value: false });
	sender.send(alwaysAllowedBytes + 1);
	t.true(sender.isRead);
});
