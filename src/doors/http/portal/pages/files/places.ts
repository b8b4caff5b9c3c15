// Reads the folder from the URL of a page, and writes the URLs of folders and files.

import { ServiceError } from '../../../../../base/errors.ts';
import { AREAS, type Area, isInputArea } from '../../../../../work/drops/drop-names.ts';
import type { DropFolder } from '../../../../../work/drops/drop-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { PortalCall } from '../../portal-page.ts';
import { principalOf } from './account-of.ts';

/**
 * Returns the folder that the URL names.
 * @throws ServiceError if there is no such folder
 */
export function folderOfCall(call: PortalCall, { formats }: Pick<HttpRooms, 'formats'>): DropFolder {
	const { area, filter } = call.params;
	const found = AREAS.find((each) => each === area);
	if (!found || !formats.has(filter)) throw new ServiceError('uri-not-found');
	return { accountId: principalOf(call).accountId, area: found, filter };
}

/**
 * Returns the folder that the URL names, if it is one into which files can be put.
 * @throws ServiceError if it is not, or does not exist
 */
export function inputFolderOf(call: PortalCall, rooms: Pick<HttpRooms, 'formats'>) {
	const { accountId, area, filter } = folderOfCall(call, rooms);
	if (!isInputArea(area)) throw new ServiceError('uri-not-found');
	return { accountId, area, filter };
}

export function folderPath({ area, filter }: { readonly area: Area; readonly filter: string }): string {
	return `/portal/files/${area}/${filter}`;
}

/** Returns the path of an action on a file, whose name may contain any characters. */
export function filePath(
	folder: { readonly area: Area; readonly filter: string },
	action: 'download' | 'remove',
	name: string,
): string {
	return `${folderPath(folder)}/${action}?${new URLSearchParams({ name: name.toWellFormed() })}`;
}
