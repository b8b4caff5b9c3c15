// Reads the document of a route, YAML or JSON. It is checked as a whole: every fault is reported at once, with its path.

import { type Why, why } from '../../../base/failures.ts';
import { DocumentError, type PlacedFault, withoutPath } from '../../relay/profiles/profile-problems.ts';
import { readProfileText } from '../../relay/profiles/profile-text.ts';
import { isTimeZone } from '../times/wall-clock.ts';
import { atLeast, DocumentReader, type Members, type Path } from './document-reader.ts';
import { placeholderProblem } from './placeholders.ts';
import { numberProblem, PLACE_MEMBERS, type PlaceScope, readPlace, writtenNameProblem } from './read-place.ts';
import { readDoneFile, readSource } from './read-source.ts';
import { readExpectation, readTimes } from './read-times.ts';
import { type KeyNames, type OptionsProblem, readWork } from './read-work.ts';
import type { Route, RouteTarget } from './route.ts';

/** What a document is compared with beside its own rules. */
export interface RouteScope extends PlaceScope {
	readonly optionsProblem: OptionsProblem;
	readonly keys: KeyNames;
}

export const ROUTE_MEMBERS = ['name', 'from', 'do', 'to', 'when', 'missed', 'expect', 'retry', 'paused'] as const;
const RETRY_MEMBERS = ['tries', 'first', 'longest'] as const;

/** This error carries every fault of a route's document. */
export class RouteError extends DocumentError {
	constructor(faults: readonly PlacedFault[]) {
		super('the route is not usable:', faults);
	}
}

/**
 * Whoever has a key may send a document, which is read in the thread that answers all callers. Therefore it is much smaller than
 * the text of a profile may be.
 */
export const MAX_ROUTE_BYTES = 16 * 1024;

/**
 * Reads the text of a route. Without a scope only the rules of the document itself are checked.
 * @throws RouteError with every fault, which never quotes a value
 */
export function parseRoute(text: string, scope?: RouteScope): Route {
	const written = readProfileText(text, { maxBytes: MAX_ROUTE_BYTES });
	if (written.problems.length > 0) throw new RouteError(withoutPath(written.problems));
	return readRoute(new DocumentReader(written), written.value, typedOptions(text, written.value), scope);
}

/** Reads a document that `routeDocument` has written, as JSON: a list reads hundreds of them. */
export function parseStoredRoute(document: string): Route {
	const value: unknown = JSON.parse(document);
	const problemAt = (_: readonly PropertyKey[], { reason: rule, told }: Why) => ({
		...{ line: 1, column: 1, pointer: '', rule, told },
	});
	const reader = new DocumentReader({ problemAt, problemAtKey: problemAt });
	return readRoute(reader, asWritten(value), optionsIn(value));
}

/** Returns a value as the text of a document has it: numbers, true and false are text there, and null is nothing. */
function asWritten(value: unknown): unknown {
	if (value === null) return undefined;
	if (Array.isArray(value)) return value.map(asWritten);
	if (typeof value !== 'object') return String(value);
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asWritten(inner)]));
}

function readRoute(reader: DocumentReader, value: unknown, options: unknown, scope?: RouteScope): Route {
	const document = reader.members([], value, ROUTE_MEMBERS);
	const name = reader.text(['name'], document.name, '', routeNameProblem);
	reader.require(['name'], document.name, 'letters, digits, hyphens and underscores');
	reader.require(['from'], document.from, 'where the files come from');
	reader.require(['do'], document.do, 'what is done with them');
	reader.require(['to'], document.to, 'where they go');
	const timeZone = timeZoneReader(reader);
	const route: Route = {
		name,
		from: readSource(reader, document.from, scope),
		do: readWork(reader, document.do, options, scope),
		to: readTarget(reader, document.to, scope),
		when: readTimes(reader, document.when, timeZone),
		missed: reader.choice(['missed'], document.missed, ['run', 'skip'], 'run'),
		expect: readExpectation(reader, document.expect, timeZone),
		retry: readRetry(reader, document.retry),
		paused: reader.flag(['paused'], document.paused, false),
	};
	checkTogether(reader, route);
	if (reader.faults.length > 0) {
		throw new RouteError(reader.faults.toSorted((a, b) => a.line - b.line || a.column - b.column));
	}
	return route;
}

export function routeNameProblem(text: string): Why | undefined {
	if (!/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
		return why('expected 1 to 64 letters, digits, hyphens and underscores', 'name-malformed', { most: 64 });
	}
	return numberProblem(text);
}

function timeZoneReader(reader: DocumentReader) {
	return (path: readonly string[], value: unknown) =>
		reader.text(path, value, 'UTC', (text) =>
			isTimeZone(text)
				? undefined
				: why('expected the name of a time zone, such as Europe/Berlin', 'time-zone-unknown'),
		);
}

/** Numbers, true and false are values of their own in the options of a format, and text everywhere else. */
function typedOptions(text: string, written: unknown): unknown {
	return optionsIn(written) === undefined ? undefined : optionsIn(readProfileText(text, { schema: 'core' }).value);
}

function optionsIn(value: unknown): unknown {
	return (value as { do?: { options?: unknown } } | undefined)?.do?.options;
}

function readRetry(reader: DocumentReader, value: unknown): Route['retry'] {
	const members: Members = reader.members(['retry'], value, RETRY_MEMBERS);
	const firstMs = reader.duration(['retry', 'first'], members.first, 30_000);
	const longestMs = reader.duration(['retry', 'longest'], members.longest, 3_600_000);
	if (longestMs < firstMs) reader.fault(['retry', 'longest'], atLeast('retry.first'));
	return { tries: reader.whole(['retry', 'tries'], members.tries, 8, [1, 1_000]), firstMs, longestMs };
}

function checkTogether(reader: DocumentReader, { from, do: work, to, when }: Route): void {
	const isDrop = from.place.kind === 'drop';
	if (isDrop && typeof from.afterwards === 'object') {
		reader.fault(['from', 'afterwards'], why('a drop has no folders: expected keep or delete', 'drop-without-folders'));
	}
	if (isDrop && typeof from.onFailure === 'object') {
		reader.fault(['from', 'onFailure'], why('a drop has no folders: expected keep', 'drop-without-folders'));
	}
	if (when && 'arrival' in when && from.place.kind === 'destination') {
		const rule = 'only drops and folders tell of arrivals: expected cron or every';
		reader.fault(['when', 'arrival'], why(rule, 'member-unfit'));
	}
	if (to.place.kind === 'drop') {
		if (to.doneFile !== undefined) {
			reader.fault(['to', 'doneFile'], why('a drop needs none: its files appear whole', 'member-unfit'));
		}
		if (to.exists === 'refuse') return;
		if (to.place.area === 'tokenize' || to.place.area === 'detokenize') {
			const rule = 'a file in this folder becomes a job at once: expected refuse';
			reader.fault(['to', 'exists'], why(rule, 'not-one-of', { choices: 'refuse' }));
		}
	}
	if (isDrop && to.place.kind === 'drop' && from.place.kind === 'drop' && work.operation === 'none') {
		const isSame = from.place.area === to.place.area && from.place.filter === to.place.filter;
		if (isSame) reader.fault(['to', 'drop'], why('expected another folder than from.drop', 'same-folder'));
	}
}

const MEMBERS = [...PLACE_MEMBERS, 'name', 'exists', 'temporaryName', 'doneFile', 'checksum'];
const TEMPORARY_NAME = '.{name}.{run}.part';

function readTarget(reader: DocumentReader, value: unknown, scope: PlaceScope | undefined): RouteTarget {
	const members = reader.members(['to'], value, MEMBERS);
	const doneFile = readDoneFile(reader, ['to', 'doneFile'], members.doneFile);
	const checksum = reader.choice(['to', 'checksum'], members.checksum, ['none', 'sha256'], 'none');
	if (checksum === 'sha256' && members.doneFile === undefined) {
		const rule = 'the sum is written into the done-file: give to.doneFile too';
		reader.fault(['to', 'checksum'], why(rule, 'needs-beside', { member: 'to.doneFile' }));
	}
	return {
		place: readPlace(reader, 'to', members, scope),
		name: reader.text(['to', 'name'], members.name, '{name}', targetNameProblem),
		exists: reader.choice(['to', 'exists'], members.exists, ['refuse', 'replace', 'number'], 'refuse'),
		temporaryName: readTemporaryName(reader, ['to', 'temporaryName'], members.temporaryName),
		doneFile,
		checksum,
	};
}

function targetNameProblem(text: string): Why | undefined {
	return writtenNameProblem(text) ?? placeholderProblem(text);
}

function readTemporaryName(reader: DocumentReader, path: Path, value: unknown): string | undefined {
	if (value === 'false') return undefined;
	return reader.text(path, value, TEMPORARY_NAME, (text) => {
		const problem = writtenNameProblem(text) ?? placeholderProblem(text, ['name', 'run']);
		if (problem !== undefined) return problem;
		if (text === '{name}' || !text.includes('{name}')) {
			const rule = 'expected a name with {name} and something beside it, such as .{name}.{run}.part, or false';
			return why(rule, 'name-place-missing', { example: TEMPORARY_NAME });
		}
	});
}
