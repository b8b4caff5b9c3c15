// Shows an sFTP session its files for as long as the credential that opened it is unchanged.

import { CredentialEndedError } from '../identity/ending.ts';
import type { Standing } from '../identity/standing.ts';
import { type OpenMode, type Tree, TreeError, type TreeFile } from '../sftp/tree.ts';
import { treeOver } from './tree-over.ts';

/**
 * A read checks the credential again if the last check is older than this. An open file is cut off with its session in
 * any case; this only limits how much can be read while the database does not answer.
 */
const READ_MAX_AGE_MS = 5_000;

/**
 * Wraps a tree of files so that the credential is checked again before a file is opened, accepted or changed. It stops
 * watching when the tree is closed.
 */
export function watchedTree(tree: Tree, standing: Standing): Tree {
	const check = (maxAgeMs?: number) => checkStanding(standing, maxAgeMs);
	return treeOver(tree, {
		async open(path, mode) {
			await check();
			const file = await tree.open(path, mode);
			return mode.write || file.auditedPath !== undefined ? watchedFile(file, mode, check) : file;
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
		sync: () => file.sync(),
		async close() {
			if (!write) return file.close();
			try {
				await check();
			} catch (error) {
				// The received part is kept as a paused upload, which another login can resume.
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
