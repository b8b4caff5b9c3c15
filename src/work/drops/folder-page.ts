// Lists the files of a folder page by page, in the order of their names.

import type { DropFile, DropFolder, dropStore, NameRange } from './drop-store.ts';

/** A page of a folder: one file for each name, as their rows are stored. */
export interface FolderPage {
	readonly files: readonly DropFile[];
	/** The last name, if more files of the range follow. */
	readonly next: string | undefined;
	/** The first name, if the range was read from its end and more files of it stand before. */
	readonly previous: string | undefined;
}

/**
 * Returns at most `length` files of a folder in a range of names: the first ones, or with a name at the end of the range the
 * last ones.
 */
export async function readFolderPage(
	store: Pick<ReturnType<typeof dropStore>, 'listPage'>,
	folder: DropFolder,
	range: NameRange,
	length: number,
): Promise<FolderPage> {
	const isBackward = range.before !== undefined;
	// One row more than asked for is read: if that row exists, there are more files. Several waiting inputs can have the same
	// name.
	const found = await store.listPage(folder, range, length + 1, isBackward);
	const rows = found.slice(0, length);
	const files = rows.filter(({ name }, index) => name !== rows[index - 1]?.name);
	const more = found.length > length ? rows[length - 1].name : undefined;
	return isBackward
		? { files: files.reverse(), next: undefined, previous: more }
		: { files, next: more, previous: undefined };
}
