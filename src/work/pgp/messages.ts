// Decrypts and encrypts files of accounts as their options say. Decrypted bytes are sealed as they come, and nobody gets
// them before the whole message has been authenticated.

import type { SpoolFile } from '../../base/blobs/sealed-file.ts';
import { openSpool, type SpoolStore, writeSpool } from '../../base/blobs/spool.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { isMessageName } from '../../base/openpgp/message-names.ts';
import type { MessageOptions } from '../../base/openpgp/message-options.ts';
import type { DecryptTask, EncryptTask, NamedKey } from '../../base/openpgp/message-task.ts';
import type { MessageThreads, MessageWork } from '../../base/openpgp/message-threads.ts';
import { NO_KEY, NOT_SIGNED, refusedKey, refusedMessage } from '../../base/openpgp/refusals.ts';
import type { AccountDirectory } from '../../engine/engine.ts';
import { getPublicKey, getSecretKey, listNames } from './pgp-keys.ts';

/** A compressed message may always unpack to this much. */
const FREE_UNPACKED_BYTES = 256 * 2 ** 20;
/** A larger one may unpack to this multiple of its size. Files of bookings shrink to a tenth or a twentieth. */
const MOST_UNPACKED = 100;

export type Messages = ReturnType<typeof openMessages>;

/** Gives access to the messages of accounts; the keys of the database must be open. */
export function openMessages(parts: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly accounts: Pick<AccountDirectory, 'getAccount'>;
	readonly threads: MessageThreads;
	readonly maxFileBytes?: number;
}) {
	const { accounts, threads, maxFileBytes = Number.POSITIVE_INFINITY } = parts;
	const ownerOf = async (accountId: AccountId) => (await accounts.getAccount(accountId)).ownerId;
	const publicKey = async (ownerId: AccountId, name: string): Promise<NamedKey> => ({
		name,
		armored: await getPublicKey(parts, ownerId, name),
	});
	const secretKey = async (ownerId: AccountId, name: string): Promise<NamedKey> => ({
		name,
		armored: (await getSecretKey(parts, ownerId, name)).reveal(),
	});
	const decryptTask = async (accountId: AccountId, options: MessageOptions, size: number): Promise<DecryptTask> => {
		const ownerId = await ownerOf(accountId);
		const names = options.with === undefined ? await listNames(parts, ownerId, 'own') : [options.with];
		if (names.length === 0) throw refusedKey(NO_KEY);
		const { verifiedBy = [] } = options;
		const unsigned = unsignedOf(options);
		// Where signatures are demanded of nobody by name, those of every partner of the account count.
		const isAnybody = verifiedBy.length === 0 && unsigned === 'refuse';
		const signers = isAnybody ? await listNames(parts, ownerId, 'partner') : verifiedBy;
		return {
			kind: 'decrypt',
			keys: await Promise.all(names.map((name) => secretKey(ownerId, name))),
			signers: await Promise.all(signers.map((name) => publicKey(ownerId, name))),
			unsigned,
			maxUnpackedBytes: Math.min(maxFileBytes, Math.max(FREE_UNPACKED_BYTES, size * MOST_UNPACKED)),
		};
	};
	return {
		/**
		 * Opens a sealed file, decrypted if it is an OpenPGP message and the options accept those. What is decrypted is sealed
		 * under the id `scratchId`, in the same folder.
		 * @throws ServiceError if the message is refused
		 */
		async open(
			store: SpoolStore,
			file: SpoolFile & { readonly name: string },
			options: MessageOptions,
			scratchId: () => string,
		) {
			const reader = await openSpool(store, file);
			if (!options.accept) return { reader, isDecrypted: false };
			try {
				if (!isMessageName(file.name) && !isMessage(await reader.read(0, HEAD_BYTES))) {
					if (unsignedOf(options) === 'refuse') throw refusedMessage(NOT_SIGNED);
					return { reader, isDecrypted: false };
				}
				const task = await decryptTask(file.folder.accountId, options, reader.size);
				const clear = { id: scratchId(), folder: file.folder };
				await writeSpool(store, clear, async (writer) => {
					const work = await threads.begin(task, (bytes) => writer.write(bytes));
					await writeAll(work, reader.pieces());
				});
				const opened = await openSpool(store, clear);
				await reader.close();
				return { reader: opened, isDecrypted: true };
			} catch (error) {
				await reader.close().catch(() => {});
				throw error;
			}
		},
		/**
		 * Begins to encrypt what is written for the readers that the options name; undefined if they name none.
		 * @throws ServiceError for a key that cannot be used
		 */
		async encrypt(
			accountId: AccountId,
			{ outputFor = [], signWith, armor = false, compress = 'none' }: MessageOptions,
			receive: (bytes: Uint8Array) => Promise<void>,
		): Promise<MessageWork | undefined> {
			if (outputFor.length === 0) return undefined;
			const ownerId = await ownerOf(accountId);
			const readers = await Promise.all(outputFor.map((name) => publicKey(ownerId, name)));
			const signer = signWith === undefined ? undefined : await secretKey(ownerId, signWith);
			const task: EncryptTask = { kind: 'encrypt', readers, signer, armor, compress };
			return threads.begin(task, receive);
		},
	};
}

/** Writes all of a message, and waits for what is made of it. */
export async function writeAll(work: MessageWork, source: AsyncIterable<Uint8Array>): Promise<void> {
	try {
		for await (const piece of source) await work.write(piece);
		await work.end();
	} catch (error) {
		await work.abandon();
		throw error;
	}
}

/** Returns what becomes of a file that nobody has signed. Whoever names signers demands signatures. */
function unsignedOf({ unsigned, verifiedBy = [] }: MessageOptions): 'refuse' | 'accept' {
	return unsigned ?? (verifiedBy.length > 0 ? 'refuse' : 'accept');
}

const HEAD_BYTES = 64;

/**
 * Tells whether a file begins as an encrypted message does. The bytes with which a binary one begins begin no text in UTF-8,
 * and what follows them says which version of the packet it is.
 */
function isMessage(head: Buffer): boolean {
	if (head.toString('latin1').trimStart().startsWith('-----BEGIN PGP MESSAGE')) return true;
	const [tag, length, second, third] = head;
	if (tag === 0xc1) return isVersion(length < 192 ? second : third);
	return tag === 0x84 ? isVersion(second) : tag === 0x85 && isVersion(third);
}

const isVersion = (byte: number) => byte === 3 || byte === 6;
