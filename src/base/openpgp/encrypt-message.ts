// Encrypts a message for several keys in the thread for OpenPGP messages.

import { createMessage, encrypt } from 'openpgp';
import { COMPRESSION_IDS, openReader, openSigning } from './keys.ts';
import type { EncryptTask } from './message-task.ts';

/**
 * Returns the encrypted message in pieces.
 * @throws ServiceError for a key that cannot be used
 */
export async function encryptMessage(
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
