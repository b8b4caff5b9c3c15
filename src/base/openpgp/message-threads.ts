// Has OpenPGP messages encrypted and decrypted in threads of their own, whose memory is limited, because they come from
// others. A thread is started when it is first needed, and ends when it was idle for a while.

import { MessageChannel } from 'node:worker_threads';
import { openLanes } from '../threads/lanes.ts';
import { ThreadSlot } from '../threads/thread-slot.ts';
import type { MessageTask, ToMessageThread } from './message-task.ts';
import { PiecePort } from './piece-port.ts';

/** Messages that are worked on at once; others wait. */
const THREADS = 2;
const HEAP_MB = 96;
/** Half of this, in processor time, is the longest that a message may take: some 30 gigabytes. */
const MAX_MS = 3_600_000;

export type MessageThreads = ReturnType<typeof openMessageThreads>;
/** A message under way: its bytes go in, and what becomes of them comes out. */
export type MessageWork = Awaited<ReturnType<MessageThreads['begin']>>;

export function openMessageThreads({ threads = THREADS }: { readonly threads?: number } = {}) {
	const file = new URL('./message-thread.ts', import.meta.url);
	const slots = Array.from(
		{ length: threads },
		() =>
			new ThreadSlot<ToMessageThread, undefined>({ file, heapMb: HEAP_MB, maxMs: MAX_MS, field: 'OpenPGP message' }),
	);
	const free = [...slots];
	const takeLane = openLanes(threads);
	return {
		/** Begins to work on a message as soon as a thread is free. `receive` gets the output in pieces, one after the other. */
		async begin(task: MessageTask, receive: (bytes: Uint8Array) => Promise<void>) {
			const giveBack = await takeLane();
			const slot = free.pop()!;
			const { port1, port2 } = new MessageChannel();
			const pieces = new PiecePort(port1);
			const done = slot.run({ task, port: port2 }, [port2]).finally(() => {
				free.push(slot);
				giveBack();
			});
			const received = receiveAll(pieces, receive);
			// What is thrown here comes out of `write` and `end`.
			done.catch(() => pieces.close());
			received.catch(() => pieces.close());
			/** The reason why a port was closed counts for more than that it was. */
			const settled = async (step: Promise<void>) => {
				try {
					await step;
				} catch (error) {
					const failures = await Promise.allSettled([received, done]);
					const reasons = failures.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
					throw reasons.find((reason) => reason?.name !== 'PortClosedError') ?? error;
				}
			};
			return {
				/** Hands over bytes, which may be used again afterwards. @throws ServiceError if the message is refused */
				write: (bytes: Uint8Array) => settled(pieces.send(bytes)),
				/** Ends the message, and waits until all of its output was received. @throws ServiceError if it is refused */
				end: () =>
					settled(
						(async () => {
							await pieces.end();
							await Promise.all([received, done]);
							pieces.close();
						})(),
					),
				async abandon(): Promise<void> {
					pieces.close();
					await Promise.allSettled([received, done]);
				},
			};
		},
		async close(): Promise<void> {
			await Promise.all(slots.map((slot) => slot.close()));
		},
	};
}

async function receiveAll(pieces: PiecePort, receive: (bytes: Uint8Array) => Promise<void>): Promise<void> {
	for (let piece = await pieces.next(); piece; piece = await pieces.next()) await receive(piece);
}
