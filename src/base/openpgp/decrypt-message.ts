// Decrypts a message in the thread for OpenPGP messages. Bytes come out before the message is known to be whole, so whoever
// receives them keeps them to himself until this has ended well.

import {
	CompressedDataPacket,
	type Config,
	decrypt,
	enums,
	type Key,
	type MaybeStream,
	type Message,
	type PrivateKey,
	readMessage,
	readPrivateKey,
} from 'openpgp';
import { ServiceError } from '../errors.ts';
import type { Why } from '../failures.ts';
import { openSigner, requireUsable } from './keys.ts';
import type { DecryptTask } from './message-task.ts';
import { type Pieces, streamOf } from './piece-port.ts';
import * as refusals from './refusals.ts';

const { refusedMessage } = refusals;

/** Refuses the message that is being decrypted. */
let refuse: (error: ServiceError) => void = () => {};

// The library reads a message that is compressed with bzip2 whole into memory.
const packet = CompressedDataPacket.prototype as unknown as {
	algorithm: number;
	decompress(config: unknown): Promise<void>;
};
const { decompress } = packet;
packet.decompress = async function decompressUnlessBzip2(config) {
	if (this.algorithm !== enums.compression.bzip2) return decompress.call(this, config);
	refuse(refusedMessage(refusals.BZIP2));
	throw new Error('bzip2 is not read');
};

/**
 * Hands the clear bytes of a message to `write` as they come.
 * @throws ServiceError if the message is refused. Everything written until then must be dropped.
 */
export async function decryptMessage(task: DecryptTask, pieces: Pieces): Promise<void> {
	const refused = Promise.withResolvers<never>();
	refuse = refused.reject;
	const stop = watchForStandstill(pieces, () => refuse(refusedMessage(refusals.DAMAGED)));
	try {
		const reading = readThrough(task, pieces);
		await Promise.race([reading, refused.promise]);
	} finally {
		stop();
		refused.promise.catch(() => {});
	}
}

const LOOK_MS = 1_000;
const MOST_LOOKS = 5;

/**
 * Calls `onStandstill` when nothing has moved for a while although nothing from outside is awaited. Within the data that
 * is decrypted as it comes, a packet that cannot be read makes the library wait for itself, for ever.
 */
function watchForStandstill(pieces: Pieces, onStandstill: () => void): () => void {
	let moved = -1;
	let looks = 0;
	const timer = setInterval(() => {
		looks = pieces.moved === moved && !pieces.isWaiting ? looks + 1 : 0;
		moved = pieces.moved;
		if (looks >= MOST_LOOKS) onStandstill();
	}, LOOK_MS);
	return () => clearInterval(timer);
}

async function readThrough(task: DecryptTask, pieces: Pieces): Promise<void> {
	const keys = await Promise.all(
		task.keys.map(async ({ name, armored }) => ({ name, key: await readPrivateKey({ armoredKey: armored }) })),
	);
	const signers = await Promise.all(task.signers.map(openSigner));
	const config: Partial<Config> = {
		// Otherwise the library holds the whole message in memory. See the head of this file.
		allowUnauthenticatedStream: true,
		maxDecompressedMessageSize: task.maxUnpackedBytes,
	};
	let hasGnuPgPacket = false;
	let sendError: unknown;
	try {
		const message = await openMessage(pieces, config);
		hasGnuPgPacket = tagsOf(message).includes(enums.packet.aeadEncryptedData);
		const fitting = await requireReadable(message, keys);
		const opened = await decrypt({
			message: message as Message<ReadableStream<Uint8Array>>,
			decryptionKeys: fitting.map(({ key }) => key),
			verificationKeys: signers.map(({ key }) => key),
			format: 'binary',
			config,
		});
		// These settle when the message has been read. If reading fails before, nobody asks for them any more.
		for (const { verified, signature } of opened.signatures) {
			verified.catch(() => {});
			signature.catch(() => {});
		}
		for await (const piece of opened.data as unknown as AsyncIterable<Uint8Array>) {
			await pieces.send(piece).catch((error) => {
				sendError = error;
				throw error;
			});
		}
		await requireSigner(task, signers, opened.signatures);
	} catch (error) {
		if (sendError !== undefined) throw sendError;
		throw error instanceof ServiceError ? error : refusedMessage(reasonOf(error, task, hasGnuPgPacket));
	}
}

/** The library's errors are told apart by their texts, which are not shown. What is not known is a damaged message. */
function reasonOf(error: unknown, { maxUnpackedBytes }: DecryptTask, hasGnuPgPacket: boolean): Why {
	const text = error instanceof Error ? error.message : '';
	if (text.includes('Maximum decompressed message size exceeded')) return refusals.tooLarge(maxUnpackedBytes);
	if (/Version \d+ of the AEAD-encrypted data packet|AEAD mode/.test(text) || hasGnuPgPacket) return refusals.OCB;
	return refusals.DAMAGED;
}

async function openMessage(pieces: Pieces, config: Partial<Config>): Promise<Message<MaybeStream<Uint8Array>>> {
	const first = await pieces.next();
	if (first === undefined) throw refusedMessage(refusals.NO_MESSAGE);
	if (isBinary(first)) return (await readMessage({ binaryMessage: streamOf(pieces, first), config })) as never;
	if (!Buffer.from(first).toString('latin1').includes('-----BEGIN PGP MESSAGE')) {
		throw refusedMessage(refusals.NO_MESSAGE);
	}
	return (await readMessage({ armoredMessage: textsOf(streamOf(pieces, first)), config })) as never;
}

/** The first byte of a packet has its highest bit set, which no armored message has. */
const isBinary = (bytes: Uint8Array) => (bytes[0] & 0x80) !== 0;

/** Node's own adapter for streams of texts fails (`ERR_INVALID_ARG_VALUE`), so the texts are made here. */
function textsOf(bytes: ReadableStream<Uint8Array>): ReadableStream<string> {
	const reader = bytes.getReader();
	return new ReadableStream(
		{
			async pull(controller) {
				const { done, value } = await reader.read();
				if (done) controller.close();
				else controller.enqueue(Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1'));
			},
		},
		{ highWaterMark: 0 },
	);
}

/** Returns the tags of the packets of a message, which say what each of them is. */
function tagsOf({ packets }: Message<MaybeStream<Uint8Array>>): number[] {
	return packets.map((each) => (each.constructor as unknown as { readonly tag: number }).tag);
}

/** An own key of the account, as it is stored. */
interface OwnKey {
	readonly name: string;
	readonly key: PrivateKey;
}

/** Stands for a reader whose key the sender did not tell. */
const HIDDEN = '0000000000000000';

/**
 * Refuses a message before its content is read, if its packets say that it cannot be read. Returns the keys that may
 * open it.
 */
async function requireReadable(
	message: Message<MaybeStream<Uint8Array>>,
	keys: readonly OwnKey[],
): Promise<readonly OwnKey[]> {
	const tags = tagsOf(message);
	if (tags.includes(enums.packet.symmetricallyEncryptedData)) throw refusedMessage(refusals.NO_INTEGRITY);
	const { symEncryptedIntegrityProtectedData, aeadEncryptedData } = enums.packet;
	if (!tags.includes(symEncryptedIntegrityProtectedData) && !tags.includes(aeadEncryptedData)) {
		throw refusedMessage(refusals.NO_MESSAGE);
	}
	const ids = message.getEncryptionKeyIDs();
	if (ids.length === 0) throw refusedMessage(refusals.PASSWORD);
	const isFor = ({ key }: OwnKey) => ids.some((id) => id.toHex() === HIDDEN || key.getKeys(id).length > 0);
	const fitting = keys.filter(isFor);
	if (fitting.length === 0) throw refusedMessage(refusals.forOthers(keys.map(({ name }) => name)));
	const checked = await Promise.allSettled(fitting.map(({ key, name }) => requireUsable(key, name)));
	const usable = fitting.filter((_, nth) => checked[nth].status === 'fulfilled');
	if (usable.length === 0) throw checked.find((each) => each.status === 'rejected')!.reason;
	return usable;
}

interface SeenSignature {
	readonly keyID: Parameters<Key['getKeys']>[0];
	readonly verified: Promise<true>;
}

/** Checks who has signed a message that was read to its end. */
async function requireSigner(
	{ unsigned }: DecryptTask,
	signers: readonly { readonly name: string; readonly key: Key }[],
	signatures: readonly SeenSignature[],
): Promise<void> {
	if (signatures.length === 0) {
		if (unsigned === 'refuse') throw refusedMessage(refusals.NOT_SIGNED);
		return;
	}
	let failure: Why | undefined;
	for (const { keyID, verified } of signatures) {
		const signer = signers.find(({ key }) => key.getKeys(keyID).length > 0);
		if (!signer) continue;
		await requireUsable(signer.key, signer.name);
		if (await verified.catch(() => false)) return;
		failure ??= refusals.wrongSignature(signer.name);
	}
	// Without named signers nobody can tell who has signed, which matters only where signatures are demanded.
	if (failure === undefined && signers.length === 0 && unsigned === 'accept') return;
	throw refusedMessage(failure ?? refusals.otherSigner(signers.map(({ name }) => name)));
}
