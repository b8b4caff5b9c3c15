// Reads folders from addresses, and writes them as they are named over sFTP.

import { AREAS, type Area, isInputArea } from '../../../../drops/drop-names.ts';
import type { DropFolder } from '../../../../drops/drop-store.ts';
import { ServiceError } from '../../../../errors.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { PortalCall } from '../../portal-page.ts';
import { principalOf } from './account-of.ts';

/** @throws ServiceError if there is no such folder */
export function folderOfCall(call: PortalCall, { formats }: Pick<HttpRooms, 'formats'>): DropFolder {
	const { area, filter } = call.params;
	const found = AREAS.find((each) => each === area);
	if (!found || !formats.has(filter)) throw new ServiceError('uri-not-found');
	return { accountId: principalOf(call).accountId, area: found, filter };
}

/** The same folder, if files are put into it. */
export function inputFolderOf(call: PortalCall, rooms: Pick<HttpRooms, 'formats'>) {
	const { accountId, area, filter } = folderOfCall(call, rooms);
	if (!isInputArea(area)) throw new ServiceError('uri-not-found');
	return { accountId, area, filter };
}

export function folderPath({ area, filter }: { readonly area: Area; readonly filter: string }): string {
	return `/portal/files/${area}/${filter}`;
}

/** The path of a file's own page or action; its name may have any characters. */
export function filePath(
	folder: { readonly area: Area; readonly filter: string },
	action: 'download' | 'remove',
	name: string,
): string {
	return `${folderPath(folder)}/${action}?${new URLSearchParams({ name: name.toWellFormed() })}`;
}
