import type { StoreWithin } from '../../base/blobs/blob-store.ts';
import type { Upload } from './upload.ts';

/** Writes an upload of `size` bytes to the database, in a transaction in which it calls `store`. */
export type Accepting<T> = (size: number, store: StoreWithin) => Promise<T>;

/**
 * Seals an upload and lets `accept` write it to the database. If `accept` fails, the bytes are stored without it, and
 * `release` gets their number, so that the upload can be resumed.
 * @throws UploadError, or the error of `accept`
 */
export async function finishUpload<T>(
	upload: Upload,
	accept: Accepting<T>,
	release: (size: number) => Promise<void>,
): Promise<T> {
	const refused: { size?: number; error?: unknown } = {};
	try {
		return await upload.finish((size, store) =>
			accept(size, store).catch((error) => {
				Object.assign(refused, { size, error });
				throw error;
			}),
		);
	} catch (error) {
		// With any other error the bytes are not stored, and only a repair can tell what is left of them.
		if (refused.size !== undefined && refused.error === error) await release(refused.size).catch(() => {});
		throw error;
	}
}
