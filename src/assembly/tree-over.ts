import type { Tree } from '../sftp/tree.ts';

/** A tree that does everything as another one does, but for what is given. */
export function treeOver(tree: Tree, changed: Partial<Tree>): Tree {
	return {
		attributes: (path) => tree.attributes(path),
		list: (path) => tree.list(path),
		open: (path, mode) => tree.open(path, mode),
		remove: (path) => tree.remove(path),
		rename: (from, to, overwrite) => tree.rename(from, to, overwrite),
		makeDirectory: (path) => tree.makeDirectory(path),
		removeDirectory: (path) => tree.removeDirectory(path),
		space: () => tree.space(),
		close: () => tree.close(),
		...changed,
	};
}
