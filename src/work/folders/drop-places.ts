// Decides what a path means in an account's tree (shapes §10). Folder names are accepted in upper and lower case, but
// listed in one spelling.

import { AREAS, type Area, isInputArea, OUTPUT_AREA } from '../drops/drop-names.ts';
import type { DropFolder } from '../drops/drop-store.ts';
import { TreeError } from './tree.ts';

export const TREE =
	'/tokenize/<FILTER>, /tokenized/<FILTER>, /detokenize/<FILTER>, /detokenized/<FILTER> and /reports/<FILTER>';

export interface FilePlace {
	readonly kind: 'file';
	readonly folder: DropFolder;
	readonly name: string;
	/** The path as listings spell it, even if the client used another spelling. */
	readonly path: string;
}

export type Place =
	| { readonly kind: 'root' }
	| { readonly kind: 'area'; readonly area: Area }
	| { readonly kind: 'folder'; readonly folder: DropFolder }
	| FilePlace;

/**
 * Returns what a path means.
 * @throws TreeError for a path where no file or folder can be
 */
export function locate(
	path: string,
	{ accountId, filters }: { readonly accountId: DropFolder['accountId']; readonly filters: readonly string[] },
): Place {
	const [areaPart, filterPart, name, ...rest] = path.split('/').filter((part) => part !== '');
	if (areaPart === undefined) return { kind: 'root' };
	const area = AREAS.find((each) => each === areaPart.toLowerCase());
	if (area === undefined || rest.length > 0) throw new TreeError('no-such-file', `there are only ${TREE}`);
	if (filterPart === undefined) return { kind: 'area', area };
	const filter = filters.find((each) => each === filterPart.toUpperCase());
	if (filter === undefined) throw new TreeError('no-such-file', `the folders in /${area} are ${filters.join(', ')}`);
	const folder = { accountId, area, filter };
	if (name === undefined) return { kind: 'folder', folder };
	return { kind: 'file', folder, name, path: pathOf({ area, filter, name }) };
}

/** Returns the path of a file as listings spell it. */
export function pathOf(parts: Pick<DropFolder, 'area' | 'filter'> & { readonly name: string }): string {
	const { area, filter, name } = parts;
	return `/${area}/${filter}/${name}`;
}

export function noSuchFile({ area, filter }: DropFolder): TreeError {
	const hint = isInputArea(area) ? `; finished files are in /${OUTPUT_AREA[area]}/${filter}` : '';
	return new TreeError('no-such-file', `no such file${hint}`);
}
