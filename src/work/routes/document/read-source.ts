import { type Why, why } from '../../../base/failures.ts';
import type { DocumentReader, Path } from './document-reader.ts';
import { placeholderProblem } from './placeholders.ts';
import {
	numberProblem,
	PLACE_MEMBERS,
	type PlaceScope,
	readPlace,
	relativeProblem,
	writtenNameProblem,
} from './read-place.ts';
import type { Aftermath, RouteSource } from './route.ts';

const MEMBERS = [...PLACE_MEMBERS, 'files', 'except', 'ready', 'afterwards', 'onFailure', 'again'];
const READY_MEMBERS = ['unchanged', 'minAge', 'doneFile', 'empty'] as const;
/** How far apart two looks at a file of a partner or of the server are unless the document says so. */
const UNCHANGED_MS = 10_000;

export function readSource(reader: DocumentReader, value: unknown, scope: PlaceScope | undefined): RouteSource {
	const members = reader.members(['from'], value, MEMBERS);
	const place = readPlace(reader, 'from', members, scope);
	const ready = reader.members(['from', 'ready'], members.ready, READY_MEMBERS);
	const inReady = (name: string): Path => ['from', 'ready', name];
	return {
		place,
		files: reader.texts(['from', 'files'], members.files, patternProblem),
		except: reader.texts(['from', 'except'], members.except, patternProblem),
		ready: {
			// The files of a drop are whole from the moment at which they are listed.
			unchangedMs: reader.duration(inReady('unchanged'), ready.unchanged, place.kind === 'drop' ? 0 : UNCHANGED_MS),
			minAgeMs: reader.duration(inReady('minAge'), ready.minAge, 0),
			doneFile: readDoneFile(reader, inReady('doneFile'), ready.doneFile),
			empty: reader.choice(inReady('empty'), ready.empty, ['alarm', 'process', 'ignore'], 'alarm'),
		},
		afterwards: readAftermath(reader, ['from', 'afterwards'], members.afterwards, ['keep', 'delete']),
		onFailure: readAftermath(reader, ['from', 'onFailure'], members.onFailure, ['keep']) as RouteSource['onFailure'],
		again: reader.choice(['from', 'again'], members.again, ['never', 'whenChanged'], 'never'),
	};
}

/** Reads the name of a done-file, in which `{name}` stands for the name of its file. */
export function readDoneFile(reader: DocumentReader, path: Path, value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const text = reader.text(path, value, '', (given) => {
		const problem = writtenNameProblem(given) ?? placeholderProblem(given, ['name']);
		if (problem !== undefined) return problem;
		if (given === '{name}' || given.split('{name}').length !== 2) {
			const rule = 'expected a name with {name} once and something beside it, such as {name}.done';
			return why(rule, 'name-place-missing', { example: '{name}.done' });
		}
	});
	return text === '' ? undefined : text;
}

function patternProblem(text: string): Why | undefined {
	if (text === '' || text.length > 255) return why('expected a pattern of 1 to 255 characters', 'pattern-malformed');
	if (text.includes('/')) {
		return why('expected a pattern of names, without folders: * and ? stand for characters', 'pattern-malformed');
	}
	return numberProblem(text);
}

function readAftermath(
	reader: DocumentReader,
	path: Path,
	value: unknown,
	words: readonly ('keep' | 'delete')[],
): Aftermath {
	if (typeof value !== 'object' || value === null) return reader.choice(path, value, words, 'keep');
	const { move } = reader.members(path, value, ['move']);
	const at = [...path, 'move'];
	reader.require(at, move, 'a folder beside the files');
	const folder = reader.text(at, move, '', (text) =>
		text === '' ? why('expected a folder beside the files', 'member-missing') : relativeProblem(text, true),
	);
	return folder === '' ? 'keep' : { move: folder };
}
