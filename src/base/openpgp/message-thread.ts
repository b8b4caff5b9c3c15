// The entry point of the thread that works on OpenPGP messages, one after the other. It opens no files and no connections.

import { parentPort } from 'node:worker_threads';
import { createMessage, encrypt } from 'openpgp';
import { ServiceError } from '../errors.ts';
import { giveWay } from '../threads/thread-priority.ts';
import type { FromThread } from '../threads/thread-slot.ts';
import { decryptMessage } from './decrypt-message.ts';
import { COMPRESSION_IDS, openReader, openSigning } from './keys.ts';
import type { EncryptTask, MessageTask, ToMessageThread } from './message-task.ts';
import { PiecePort, streamOf } from './piece-port.ts';

giveWay();

async function carryOut(task: MessageTask, pieces: PiecePort): Promise<void> {
	if (task.kind === 'decrypt') await decryptMessage(task, pieces);
	else for await (const piece of await encryptMessage(task, streamOf(pieces))) await pieces.send(piece);
	await pieces.end();
}

parentPort!.on('message', async ({ task, port }: ToMessageThread) => {
	const pieces = new PiecePort(port);
	let answer: FromThread<undefined>;
	try {
		await carryOut(task, pieces);
		answer = { kind: 'done', result: undefined };
	} catch (error) {
		answer =
			error instanceof ServiceError
				? { kind: 'refused', reason: error.reason, moreInfo: error.moreInfo ?? undefined, told: error.told }
				: { kind: 'broken', name: error instanceof Error ? error.name : typeof error };
	}
	pieces.close();
	parentPort!.postMessage(answer);
});
parentPort!.postMessage({ kind: 'ready' } satisfies FromThread<undefined>);

/**
 * Returns the encrypted message in pieces.
 * @throws ServiceError for a key that cannot be used
 */
async function encryptMessage(
	task: EncryptTask,
	binary: ReadableStream<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
	const encryptionKeys = await Promise.all(task.readers.map(openReader));
	const signingKeys = task.signer && (await openSigning(task.signer));
	const message = await createMessage({ binary, format: 'binary' });
	const config = { preferredCompressionAlgorithm: COMPRESSION_IDS[task.compress], aeadProtect: false };
	const given = { message, encryptionKeys, ...(signingKeys && { signingKeys }), config };
	if (!task.armor) return (await encrypt({ ...given, format: 'binary' })) as ReadableStream<Uint8Array>;
	return bytesOf((await encrypt({ ...given, format: 'armored' })) as ReadableStream<string>);
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
	for await (const text of texts) yield Buffer.from(text, 'latin1');
}
