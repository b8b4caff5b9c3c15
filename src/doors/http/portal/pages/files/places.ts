// Reads the folder from the URL of a page, and writes the URLs of folders and files.

import { AREAS, type Area, isInputArea } from '../../../../../work/drops/drop-names.ts';
import type { DropFolder } from '../../../../../work/drops/drop-store.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';

export const FILES = '/portal/files';
export const FOLDER = `${FILES}/:area/:filter` as const;

interface Place {
	readonly area: Area;
	readonly filter: string;
}

/**
 * Returns the folder that the URL names.
 * @throws ServiceError if there is no such folder
 */
export function folderOfCall(call: PortalCall, formats: PortalParts['formats']): DropFolder {
	const { area, filter } = call.params;
	const found = AREAS.find((each) => each === area);
	if (!found || !formats.has(filter)) throw notThere();
	return { accountId: principalOf(call).accountId, area: found, filter };
}

/**
 * Returns the folder that the URL names, if it is one into which files can be put.
 * @throws ServiceError if it is not, or does not exist
 */
export function inputFolderOf(call: PortalCall, formats: PortalParts['formats']) {
	const { accountId, area, filter } = folderOfCall(call, formats);
	if (!isInputArea(area)) throw notThere();
	return { accountId, area, filter };
}

export function folderPath({ area, filter }: Place): string {
	return `${FILES}/${area}/${filter}`;
}

/** Returns the path of an action on a file, whose name may contain any characters. */
export function filePath(folder: Place, action: 'download' | 'remove', name: string): string {
	return `${folderPath(folder)}/${action}?${new URLSearchParams({ name: name.toWellFormed() })}`;
}
