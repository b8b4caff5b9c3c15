import parseJsonPath from 'jsonpath-rfc9535/parser';
import type { BodyFormat, NamedNode, Query } from '../body-format.ts';
import { findCharset, UTF_8 } from '../charset.ts';
import { KnownNames } from '../known-names.ts';
import { UnusableSelector } from '../problems.ts';
import { checkJsonPath } from './jsonpath-check.ts';
import { libraryQuery } from './jsonpath-library.ts';
import { findJsonPlace } from './place.ts';
import { JsonScan } from './scan.ts';
import { findJsonSteps, followJsonSteps } from './steps.ts';
import { JSON_KIND, type JsonTape, KEY_END, KEY_START, KIND, NEXT, STRIDE } from './tape.ts';

/** Selects from JSON bodies by JSONPath (RFC 9535); inside a container `$` is the container. */
export class JsonFormat implements BodyFormat<JsonTape> {
	readonly #names = new KnownNames();
	#scan: JsonScan | undefined;
	usesLibrary = false;

	compile(expression: string): Query<JsonTape> {
		let query: ReturnType<typeof parseJsonPath>;
		try {
			query = parseJsonPath(expression);
		} catch (cause) {
			throw new UnusableSelector('expected a JSONPath (RFC 9535) that begins with "$"', { cause });
		}
		const steps = findJsonSteps(query, this.#names);
		if (steps !== undefined) return (tape, context) => followJsonSteps(tape, steps, context);
		checkJsonPath(query);
		this.usesLibrary = true;
		return libraryQuery(expression);
	}

	open(bytes: Buffer, contentType: string | undefined): JsonTape {
		this.#scan ??= new JsonScan(this.#names);
		try {
			return this.#scan.scan(bytes, findCharset(contentType) ?? UTF_8);
		} catch (error) {
			this.#scan.tape.end();
			throw error;
		}
	}

	close(tape: JsonTape): void {
		tape.end();
	}

	named = namedJson;
	findPlace = findJsonPlace;
}

/**
 * Returns the members of the object `context` with their names or, with `isDeep`, all values inside `context` with
 * theirs. Elements of an array get the name of the array.
 */
function namedJson(tape: JsonTape, context: number, isDeep: boolean): NamedNode[] {
	const { cells } = tape;
	const end = cells[context * STRIDE + NEXT];
	const found: NamedNode[] = [];
	/** The arrays and objects around the current value: for each, its name and the number of the first value after it. */
	const around: { end: number; name: string }[] = [];
	for (let node = context + 1; node < end; ) {
		const row = node * STRIDE;
		while (around.length > 0 && around[around.length - 1].end <= node) around.pop();
		const isMember = cells[row + KEY_START] >= 0;
		const name = isMember ? keyOf(tape, row) : (around.at(-1)?.name ?? '');
		if (isMember || isDeep) found.push({ name, node });
		if (isDeep) around.push({ end: cells[row + NEXT], name });
		const isArray = cells[context * STRIDE + KIND] === JSON_KIND.ARRAY;
		if (isArray && !isDeep) break;
		node = isDeep ? node + 1 : cells[row + NEXT];
	}
	return found;
}

function keyOf({ bytes, cells, charset }: JsonTape, row: number): string {
	const key = charset.decode(bytes, cells[row + KEY_START], cells[row + KEY_END]);
	return key.includes('\\') ? JSON.parse(`"${key}"`) : key;
}
