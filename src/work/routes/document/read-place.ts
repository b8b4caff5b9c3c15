// Reads the places of a route: a stored destination, a folder of the account's own, or a folder of the server.

import { isAbsolute, normalize } from 'node:path';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { type Why, why } from '../../../base/failures.ts';
import { AREAS, type Area } from '../../drops/drop-names.ts';
import { fileNameProblem, folderProblem, nameProblem } from '../../relay/partners/destination.ts';
import { type DocumentReader, type Members, onlyOneOf, type Path } from './document-reader.ts';
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
	if (given.length !== 1) reader.fault([side], onlyOneOf(given, 'a destination, a drop or a folder'));
	const [kind = 'destination'] = given;
	const at: Path = [side, kind];
	const pathAt: Path = [side, 'path'];
	const path = reader.text(pathAt, members.path, '', (text) => relativeProblem(text, side === 'to'));
	if (kind === 'drop') {
		if (members.path !== undefined)
			reader.fault(pathAt, why('a drop has no folders: leave path out', 'drop-without-folders'));
		return readDrop(reader, at, members.drop, side, scope);
	}
	if (kind === 'folder') {
		const folder = reader.text(at, members.folder, '', (text) => serverFolderProblem(text, scope));
		return { kind, folder: folder === '' ? folder : normalize(folder).replace(/(.)\/$/, '$1'), path };
	}
	const destination = reader.text(at, members.destination, '', (text) => {
		const problem = nameProblem(text);
		if (problem !== undefined || scope === undefined || scope.destinations.includes(text)) return problem;
		const rule = 'the account has no destination with this name; destination put stores one';
		return why(rule, 'destination-unknown');
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
		const choices = (isArea ? (scope?.filters ?? [filter]) : allowed.map((name) => `/${name}/<FILTER>`)).join(', ');
		if (!isArea) return why(`expected a folder as over sFTP: ${choices}`, 'not-one-of', { choices });
		if (scope === undefined || scope.filters.includes(filter)) return undefined;
		return why(`expected a filter at its end: one of ${choices}`, 'not-one-of', { choices });
	});
	const [area, filter] = text.replace(/^\/|\/$/g, '').split('/');
	return { kind: 'drop', area: area as Area, filter };
}

/** Returns why a text cannot be the name under which a route writes a file, which may have placeholders; undefined if it can. */
export function writtenNameProblem(text: string): Why | undefined {
	if (text === '') return why('expected a name, such as {name}', 'file-name-malformed');
	return fileNameProblem(text) ?? numberProblem(text);
}

/** Returns why a text may not stand in a document, which is stored in clear. */
export function numberProblem(text: string): Why | undefined {
	const problem = cardNumberProblem(text);
	return problem === undefined ? undefined : why(`${problem}: expected another name`, 'like-a-card');
}

/** Checks a folder below another one: it may not lead out of it. */
export function relativeProblem(text: string, hasPlaceholders: boolean): Why | undefined {
	if (text.startsWith('/')) return why('expected a folder below, without a leading slash', 'folder-not-below');
	const problem = folderProblem(text) ?? numberProblem(text);
	return problem ?? (hasPlaceholders ? placeholderProblem(text) : undefined);
}

function serverFolderProblem(text: string, scope: PlaceScope | undefined): Why | undefined {
	if (!isAbsolute(text)) return why('expected the whole path of a folder of the server', 'folder-not-whole');
	const problem = folderProblem(text) ?? numberProblem(text);
	if (problem !== undefined || scope === undefined) return problem;
	if (isBelowOneOf(normalize(text), scope.folders)) return undefined;
	const rule =
		scope.folders.length === 0
			? 'no folder of the server is allowed: the setting routes.folders is empty'
			: 'is not below a folder of the setting routes.folders';
	return why(rule, 'folder-not-allowed');
}

export function isBelowOneOf(path: string, folders: readonly string[]): boolean {
	return folders.some((each) => {
		const folder = normalize(each).replace(/\/$/, '');
		return path === folder || path.startsWith(`${folder}/`);
	});
}
