import type { Tree } from './tree.ts';

/**
 * Returns a tree of files with the given methods in place of those of `tree`; all other methods are passed on to
 * `tree`.
 */
export function treeOver(tree: Tree, changed: Partial<Tree>): Tree {
	return {
		attributes: (path) => tree.attributes(path),
		list: (path) => tree.list(path),
		open: (path, mode) => tree.open(path, mode),
		truncate: (path, size) => tree.truncate(path, size),
		remove: (path) => tree.remove(path),
		rename: (from, to, overwrite) => tree.rename(from, to, overwrite),
		makeDirectory: (path) => tree.makeDirectory(path),
		removeDirectory: (path) => tree.removeDirectory(path),
		space: () => tree.space(),
		close: () => tree.close(),
		...changed,
	};
}
