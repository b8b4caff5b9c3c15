// Shows an sFTP session its files for as long as the credential that opened it is unchanged.

import type { Standing } from '../../people/identity/accounts/standing.ts';
import { CredentialEndedError } from '../../people/identity/credentials/ending.ts';
import { type OpenMode, type Tree, TreeError, type TreeFile } from './tree.ts';
import { treeOver } from './tree-over.ts';

/**
 * Before a read, the credential is checked again if its last check is older than this. Usually the session of an ended
 * credential is cut off together with its open files. This limit counts only while the database does not answer, so
 * that nobody notices the end of the credential.
 */
const READ_MAX_AGE_MS = 5_000;

/**
 * Wraps the files of an sFTP session, so that the credential is checked again before a file is opened, accepted,
 * shortened, removed or renamed. When the session closes the tree, the credential is no longer watched for it.
 */
export function watchedTree(tree: Tree, standing: Standing): Tree {
	const check = (maxAgeMs?: number) => checkStanding(standing, maxAgeMs);
	return treeOver(tree, {
		async open(path, mode) {
			await check();
			const file = await tree.open(path, mode);
			return mode.write || file.auditedPath !== undefined ? watchedFile(file, mode, check) : file;
		},
		async truncate(path, size) {
			await check();
			await tree.truncate(path, size);
		},
		async remove(path) {
			await check();
			await tree.remove(path);
		},
		async rename(from, to, overwrite) {
			await check();
			await tree.rename(from, to, overwrite);
		},
		async close() {
			standing.release();
			await tree.close();
		},
	});
}

/** Wraps an open file: once the credential has ended, no upload is accepted and no card number is sent. */
function watchedFile(file: TreeFile, { write }: OpenMode, check: (maxAgeMs?: number) => Promise<void>): TreeFile {
	return {
		auditedPath: file.auditedPath,
		async read(offset, length) {
			await check(READ_MAX_AGE_MS);
			return file.read(offset, length);
		},
		write: (offset, bytes) => file.write(offset, bytes),
		attributes: () => file.attributes(),
		truncate: (size) => file.truncate(size),
		sync: () => file.sync(),
		async close() {
			if (!write) return file.close();
			try {
				await check();
			} catch (error) {
				// The credential ended before the upload was accepted. The bytes that were received are kept as a paused
				// upload, which another login can resume.
				await file.abandon();
				throw error;
			}
			return file.close();
		},
		abandon: () => file.abandon(),
	};
}

async function checkStanding(standing: Standing, maxAgeMs?: number): Promise<void> {
	try {
		await standing.check(maxAgeMs);
	} catch (error) {
		if (!(error instanceof CredentialEndedError)) throw error;
		throw new TreeError('permission-denied', 'this login has ended: log in again');
	}
}
