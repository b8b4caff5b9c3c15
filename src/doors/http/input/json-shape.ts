import { JSON_EVENT, type JsonEvent, type JsonProblem, JsonReader } from '../../../base/text/json.ts';

/** The limits of a body in JSON. A parser takes a multiple of the usual time for a text that exceeds them. */
const LIMITS = {
	depth: 32,
	/** The most names of members, in all objects together. */
	names: 10_000,
} as const;

/** What is to be known of JSON text before it is parsed. */
export interface JsonShape {
	/** Which limit the text exceeds; undefined if none. */
	readonly excess?: string;
	/**
	 * The first name that occurs twice in one object, without its escapes; undefined if there is none. A text with such a
	 * name is ambiguous, because some parsers use the first value and others the last. It means nothing if the text is not
	 * valid JSON.
	 */
	readonly repeated?: string;
}

/** Reads the shape of JSON text without parsing it, so that a megabyte of brackets is refused cheaply. */
export function shapeOf(text: string): JsonShape {
	let count = 0;
	let repeated: string | undefined;
	/** The names found so far in each open object, by its depth. */
	const open: Set<string>[] = [];
	const problem = readEvents(text, (event, reader, bytes) => {
		if (event === JSON_EVENT.OPEN) open[reader.depth] = new Set();
		if (event !== JSON_EVENT.KEY) return true;
		const name = nameOf(bytes.toString('utf8', reader.start, reader.stop));
		const names = open[reader.depth];
		if (names.has(name)) repeated ??= name;
		names.add(name);
		return ++count <= LIMITS.names;
	});
	if (problem === 'depth') return { excess: `nested deeper than ${LIMITS.depth}` };
	return count > LIMITS.names ? { excess: `has more than ${LIMITS.names} members` } : { repeated };
}

/** Decodes a name, because `a` and `\u0061` are the same name. */
function nameOf(name: string): string {
	return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

/** Ends the reading at a problem. There is one, because making an error takes longer than reading a card's body. */
const STOP = new Error('internal error: a problem in JSON');

/** Calls `see` with each event of a text until it returns false. Returns the problem that ends the text too early, if any. */
function readEvents(
	text: string,
	see: (event: JsonEvent, reader: JsonReader, bytes: Buffer) => boolean,
): JsonProblem | undefined {
	const bytes = Buffer.from(text);
	let found: JsonProblem | undefined;
	const fail = (problem: JsonProblem) => {
		found = problem;
		return STOP;
	};
	const reader = new JsonReader({ depth: LIMITS.depth, fail });
	reader.open(bytes, 0, bytes.length);
	try {
		for (let event = reader.next(); event !== JSON_EVENT.NONE && see(event, reader, bytes); ) event = reader.next();
	} catch (error) {
		if (error !== STOP) throw error;
	}
	return found;
}
