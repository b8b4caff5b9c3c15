// Opens a sealed file for which no job is needed, decrypted and encrypted as the options say. What is made of it is sealed
// too, and removed when the file is closed.

import type { SpoolFile } from '../../base/blobs/sealed-file.ts';
import { openSpool, type SpoolStore, writeSpool } from '../../base/blobs/spool.ts';
import type { SpoolReader } from '../../base/blobs/spool-reader.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import type { MessageOptions } from '../../base/openpgp/message-options.ts';
import { type Messages, writeAll } from './messages.ts';

/**
 * Decrypts and encrypts a sealed file.
 * @throws ServiceError if it is a message that is refused, or a key cannot be used
 */
export async function openTranscoded(
	{ store, messages }: { readonly store: SpoolStore; readonly messages: Messages },
	file: SpoolFile & { readonly name: string },
	options: MessageOptions,
) {
	const ids: string[] = [];
	const makeId = () => {
		const id = makeUlid(Date.now());
		ids.push(id);
		return id;
	};
	let reader: SpoolReader | undefined;
	const close = async () => {
		await reader?.close();
		for (const id of ids) await store.blobs.remove(id).catch(() => {});
	};
	try {
		({ reader } = await messages.open(store, file, options, makeId));
		reader = (await encrypted(reader)) ?? reader;
	} catch (error) {
		await close();
		throw error;
	}
	const opened = reader;
	return { size: opened.size, pieces: () => opened.pieces(), close };

	async function encrypted(clear: SpoolReader): Promise<SpoolReader | undefined> {
		if ((options.outputFor ?? []).length === 0) return undefined;
		const made = { id: makeId(), folder: file.folder };
		await writeSpool(store, made, async (writer) => {
			const work = await messages.encrypt(file.folder.accountId, options, (bytes) => writer.write(bytes));
			await writeAll(work!, clear.pieces());
		});
		await clear.close();
		return openSpool(store, made);
	}
}
