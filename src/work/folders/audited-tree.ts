import { credentialOf, type Principal } from '../../people/identity/principal.ts';
import type { Audit } from '../../trail/audit.ts';
import type { Tree } from './tree.ts';
import { treeOver } from './tree-over.ts';

/**
 * Wraps a tree of files so that every download of clear card numbers is recorded in the audit trail before the first
 * byte is sent.
 */
export function auditedTree(tree: Tree, audit: Pick<Audit, 'record'>, principal: Principal, address: string): Tree {
	return treeOver(tree, {
		async open(path, mode) {
			const file = await tree.open(path, mode);
			const subject = file.auditedPath;
			if (subject === undefined) return file;
			try {
				const details = { address, credential: credentialOf(principal) };
				await audit.record({ actor: principal.userId, action: 'file.download', subject, details });
			} catch (error) {
				await file.abandon();
				throw error;
			}
			return file;
		},
	});
}
