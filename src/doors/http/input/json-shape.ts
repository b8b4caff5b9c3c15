import { JSON_EVENT, type JsonEvent, type JsonProblem, JsonReader } from '../../../base/text/json.ts';

/** The limits of a body in JSON. A parser takes a multiple of the usual time for a text that exceeds them. */
const LIMITS = {
	depth: 32,
	/** The most names of members, in all objects together. */
	names: 10_000,
} as const;

/**
 * Returns which limit JSON text exceeds; undefined if none. This is checked before the text is parsed, so that a
 * megabyte of brackets is refused cheaply.
 */
export function findExcess(text: string): string | undefined {
	let names = 0;
	const problem = readEvents(text, (event) => event !== JSON_EVENT.KEY || ++names <= LIMITS.names);
	if (problem === 'depth') return `nested deeper than ${LIMITS.depth}`;
	return names > LIMITS.names ? `has more than ${LIMITS.names} members` : undefined;
}

/**
 * Returns the first name that occurs twice in one object of JSON text, without its escapes; undefined if there is none.
 * A text with such a name is ambiguous, because some parsers use the first value and others the last. The text must be
 * valid JSON.
 */
export function findRepeatedName(text: string): string | undefined {
	let repeated: string | undefined;
	/** The names found so far in each open object, by its depth. */
	const open: Set<string>[] = [];
	readEvents(text, (event, reader, bytes) => {
		if (event === JSON_EVENT.OPEN) open[reader.depth] = new Set();
		if (event !== JSON_EVENT.KEY) return true;
		const name = nameOf(bytes.toString('utf8', reader.start, reader.stop));
		const names = open[reader.depth];
		if (names.has(name)) repeated = name;
		names.add(name);
		return repeated === undefined;
	});
	return repeated;
}

/** Decodes a name, because `a` and `\u0061` are the same name. */
function nameOf(name: string): string {
	return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

/** Calls `see` with each event of a text until it returns false. Returns the problem that ends the text too early, if any. */
function readEvents(
	text: string,
	see: (event: JsonEvent, reader: JsonReader, bytes: Buffer) => boolean,
): JsonProblem | undefined {
	const bytes = Buffer.from(text);
	let found: JsonProblem | undefined;
	const stop = new Error('internal error: a problem in JSON');
	const fail = (problem: JsonProblem) => {
		found = problem;
		return stop;
	};
	const reader = new JsonReader({ depth: LIMITS.depth, fail });
	reader.open(bytes, 0, bytes.length);
	try {
		for (let event = reader.next(); event !== JSON_EVENT.NONE && see(event, reader, bytes); ) event = reader.next();
	} catch (error) {
		if (error !== stop) throw error;
	}
	return found;
}
