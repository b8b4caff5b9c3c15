import { isUniqueViolation } from '../../base/database/dialect.ts';
import type { DropFolder, dropStore, NewDropFile } from './drop-store.ts';
import { UploadError } from './upload.ts';

const TRIES = 6;

/**
 * Claims a file name for a new blob, if necessary from an unfinished upload. Of two calls at the same time, one waits
 * for the other.
 * @throws UploadError if others claim the name again and again
 */
export async function claimName(store: ReturnType<typeof dropStore>, folder: DropFolder, newRow: () => NewDropFile) {
	for (let tries = 1; ; tries++) {
		const row = newRow();
		try {
			// Most names are new, so the insert is attempted without a look-up.
			return { file: await store.insert(row), replaced: undefined };
		} catch (error) {
			if (!isUniqueViolation(error)) throw error;
		}
		const replaced = await store.findVisible(folder, row.name);
		if (replaced && (await store.update(replaced.id, { blob_id: replaced.blob_id, state: replaced.state }, row))) {
			return { file: { ...row, id: replaced.id }, replaced };
		}
		if (tries === TRIES) throw new UploadError('superseded', 'other sessions are sending a file of this name');
	}
}
