// Reads the places of a route: a stored destination, a folder of the account's own, or a folder of the server.

import { isAbsolute, normalize } from 'node:path';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { AREAS, type Area } from '../../drops/drop-names.ts';
import { fileNameProblem, folderProblem, nameProblem } from '../../relay/partners/destination.ts';
import type { DocumentReader, Members, Path } from './document-reader.ts';
import { placeholderProblem } from './placeholders.ts';
import type { RoutePlace } from './route.ts';

/** What a document is compared with beside its own rules. Without it only those rules count. */
export interface PlaceScope {
	readonly destinations: readonly string[];
	/** The folders of the server that routes may use. */
	readonly folders: readonly string[];
	readonly filters: readonly string[];
}

export const PLACE_MEMBERS = ['destination', 'drop', 'folder', 'path'] as const;
const SIDES = {
	from: ['tokenized', 'detokenized', 'reports'],
	to: ['tokenize', 'tokenized', 'detokenize', 'detokenized'],
} as const satisfies Record<string, readonly Area[]>;

export function readPlace(
	reader: DocumentReader,
	side: 'from' | 'to',
	members: Members,
	scope: PlaceScope | undefined,
): RoutePlace {
	const given = (['destination', 'drop', 'folder'] as const).filter((kind) => members[kind] !== undefined);
	if (given.length !== 1) {
		const rule = given.length === 0 ? 'is required' : `only one of ${given.join(' and ')} can be meant`;
		reader.fault([side], `${rule}: a destination, a drop or a folder`);
	}
	const [kind = 'destination'] = given;
	const at: Path = [side, kind];
	const pathAt: Path = [side, 'path'];
	const path = reader.text(pathAt, members.path, '', (text) => relativeProblem(text, side === 'to'));
	if (kind === 'drop') {
		if (members.path !== undefined) reader.fault(pathAt, 'a drop has no folders: leave path out');
		return readDrop(reader, at, members.drop, side, scope);
	}
	if (kind === 'folder') {
		const folder = reader.text(at, members.folder, '', (text) => serverFolderProblem(text, scope));
		return { kind, folder: folder === '' ? folder : normalize(folder).replace(/(.)\/$/, '$1'), path };
	}
	const destination = reader.text(at, members.destination, '', (text) => {
		if (nameProblem(text) !== undefined) return nameProblem(text);
		const isKnown = scope === undefined || scope.destinations.includes(text);
		return isKnown ? undefined : 'the account has no destination with this name; destination put stores one';
	});
	return { kind, destination, path };
}

function readDrop(
	reader: DocumentReader,
	at: Path,
	value: unknown,
	side: 'from' | 'to',
	scope: PlaceScope | undefined,
): RoutePlace {
	const allowed: readonly string[] = SIDES[side];
	const text = reader.text(at, value, '/tokenized/-', (given) => {
		const [, area, filter] = /^\/?([a-z]+)\/([^/]+)\/?$/.exec(given) ?? [];
		const isArea = (AREAS as readonly string[]).includes(area ?? '') && allowed.includes(area);
		if (!isArea) return `expected a folder as over sFTP: ${allowed.map((name) => `/${name}/<FILTER>`).join(', ')}`;
		const isFilter = scope === undefined || scope.filters.includes(filter);
		return isFilter ? undefined : `expected a filter at its end: one of ${scope.filters.join(', ')}`;
	});
	const [area, filter] = text.replace(/^\/|\/$/g, '').split('/');
	return { kind: 'drop', area: area as Area, filter };
}

/** Returns why a text cannot be the name under which a route writes a file, which may have placeholders; undefined if it can. */
export function writtenNameProblem(text: string): string | undefined {
	return text === '' ? 'expected a name, such as {name}' : (fileNameProblem(text) ?? numberProblem(text));
}

/** Returns why a text may not stand in a document, which is stored in clear. */
export function numberProblem(text: string): string | undefined {
	const problem = cardNumberProblem(text);
	return problem && `${problem}: expected another name`;
}

/** Checks a folder below another one: it may not lead out of it. */
export function relativeProblem(text: string, hasPlaceholders: boolean): string | undefined {
	if (text.startsWith('/')) return 'expected a folder below, without a leading slash';
	const problem = folderProblem(text) ?? numberProblem(text);
	return problem ?? (hasPlaceholders ? placeholderProblem(text) : undefined);
}

function serverFolderProblem(text: string, scope: PlaceScope | undefined): string | undefined {
	if (!isAbsolute(text)) return 'expected the whole path of a folder of the server';
	const problem = folderProblem(text) ?? numberProblem(text);
	if (problem !== undefined || scope === undefined) return problem;
	if (isBelowOneOf(normalize(text), scope.folders)) return undefined;
	return scope.folders.length === 0
		? 'no folder of the server is allowed: the setting routes.folders is empty'
		: 'is not below a folder of the setting routes.folders';
}

export function isBelowOneOf(path: string, folders: readonly string[]): boolean {
	return folders.some((each) => {
		const folder = normalize(each).replace(/\/$/, '');
		return path === folder || path.startsWith(`${folder}/`);
	});
}
