import type { DocumentReader, Members, Path } from './document-reader.ts';
import { placeholderProblem } from './placeholders.ts';
import { PLACE_MEMBERS, writtenNameProblem } from './read-place.ts';
import { readDoneFile } from './read-source.ts';
import type { RoutePlace, RouteTarget } from './route.ts';

const MEMBERS = [...PLACE_MEMBERS, 'name', 'exists', 'temporaryName', 'doneFile', 'checksum'];
const TEMPORARY_NAME = '.{name}.{run}.part';

/** Reads where a route puts its files. */
export function readTarget(
	reader: DocumentReader,
	value: unknown,
	placeOf: (members: Members) => RoutePlace,
): RouteTarget {
	const members = reader.members(['to'], value, MEMBERS);
	const place = value === undefined ? ({ kind: 'destination', destination: '', path: '' } as const) : placeOf(members);
	const doneFile = readDoneFile(reader, ['to', 'doneFile'], members.doneFile);
	const checksum = reader.choice(['to', 'checksum'], members.checksum, ['none', 'sha256'], 'none');
	if (checksum === 'sha256' && members.doneFile === undefined) {
		reader.fault(['to', 'checksum'], 'the sum is written into the done-file: give to.doneFile too');
	}
	return {
		place,
		name: reader.text(['to', 'name'], members.name, '{name}', targetNameProblem),
		exists: reader.choice(['to', 'exists'], members.exists, ['refuse', 'replace', 'number'], 'refuse'),
		temporaryName: readTemporaryName(reader, ['to', 'temporaryName'], members.temporaryName),
		doneFile,
		checksum,
	};
}

function targetNameProblem(text: string): string | undefined {
	return writtenNameProblem(text) ?? placeholderProblem(text);
}

function readTemporaryName(reader: DocumentReader, path: Path, value: unknown): string | undefined {
	if (value === 'false') return undefined;
	return reader.text(path, value, TEMPORARY_NAME, (text) => {
		const problem = writtenNameProblem(text) ?? placeholderProblem(text, ['name', 'run']);
		if (problem !== undefined) return problem;
		if (text === '{name}' || !text.includes('{name}')) {
			return 'expected a name with {name} and something beside it, such as .{name}.{run}.part, or false';
		}
	});
}
