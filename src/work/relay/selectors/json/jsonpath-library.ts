// Evaluates JSONPath with the JSONPath library. The values that the library gets are built from our own tape, so that
// the byte range of each selected value is known.

import { exec, type JsonValue } from 'jsonpath-rfc9535';
import type { Query } from '../body-format.ts';
import { sortOnce } from '../node-order.ts';
import { malformedBody, refusal } from '../problems.ts';
import { END, JSON_KIND, type JsonTape, KEY_END, KEY_START, KIND, NEXT, START, STRIDE } from './tape.ts';

/** With more values, only simple expressions can be used, which need the tape alone and not the library. */
const MAX_VALUES = 100_000;
const MAX_RESULTS = 20_000;
/** All selectors together may examine so many values. Each evaluation counts as `LOOKS_PER_QUESTION` more. */
const MAX_LOOKS = 500_000;
const LOOKS_PER_QUESTION = 20;

type Container = JsonValue[] | { [key: string]: JsonValue };

/**
 * Holds the values of one body in the form that the library needs, and tells which node of the tape each member or
 * element of a value is.
 */
class JsonValues {
	readonly #tape: JsonTape;
	/** Holds the values by node. They are built on first use, a whole subtree at once. */
	readonly #values = new Map<number, JsonValue>();
	#looks = 0;
	readonly #children = new Map<Container, Map<string | number, number>>();

	constructor(tape: JsonTape) {
		this.#tape = tape;
		if (tape.count > MAX_VALUES) {
			throw refusal(`the body has more than ${MAX_VALUES} JSON values; use selectors of names, "*" and indexes alone`);
		}
	}

	/** Counts the cost of an evaluation at `node`, which may examine all values in it. */
	spend(node: number): void {
		this.#looks += LOOKS_PER_QUESTION + this.#tape.cells[node * STRIDE + NEXT] - node;
		if (this.#looks > MAX_LOOKS) throw refusal('the selectors of the profile look at too many values of the body');
	}

	valueOf(node: number): JsonValue {
		const existing = this.#values.get(node);
		if (existing !== undefined) return existing;
		const value = this.#make(node);
		this.#values.set(node, value);
		return value;
	}

	/**
	 * Returns the node to which a path leads from `node`. The path is in the normalised form in which the library reports
	 * what it selected.
	 */
	nodeAt(node: number, path: readonly (string | number)[]): number {
		let at = node;
		for (const key of path) {
			const child = this.#children.get(this.valueOf(at) as Container)?.get(key);
			if (child === undefined) throw new Error('internal error: a selected JSON value is not on the tape');
			at = child;
		}
		return at;
	}

	/** Builds the values of a subtree. The recursion is safe, because the scan limits the depth. */
	#make(node: number): JsonValue {
		const { cells, bytes, charset } = this.#tape;
		const row = node * STRIDE;
		const [start, end] = [cells[row + START], cells[row + END]];
		switch (cells[row + KIND]) {
			case JSON_KIND.OBJECT:
				return this.#makeObject(node);
			case JSON_KIND.ARRAY:
				return this.#makeArray(node);
			case JSON_KIND.STRING:
				return charset.decode(bytes, start, end);
			case JSON_KIND.ESCAPED_STRING:
				return JSON.parse(`"${charset.decode(bytes, start, end)}"`);
			case JSON_KIND.NUMBER:
				return Number(bytes.toString('latin1', start, end));
			case JSON_KIND.NULL:
				return null;
			default:
				return bytes[start] === 0x74;
		}
	}

	#makeArray(node: number): JsonValue {
		const value: JsonValue[] = [];
		const children = new Map<string | number, number>();
		for (const child of this.#childrenOf(node)) {
			children.set(value.length, child);
			value.push(this.valueOf(child));
		}
		this.#children.set(value, children);
		return value;
	}

	#makeObject(node: number): JsonValue {
		const { cells, bytes, charset } = this.#tape;
		// In an object without a prototype, `__proto__` is a name like any other.
		const value: { [key: string]: JsonValue } = Object.create(null);
		const children = new Map<string | number, number>();
		for (const child of this.#childrenOf(node)) {
			const start = cells[child * STRIDE + KEY_START];
			const text = charset.decode(bytes, start, cells[child * STRIDE + KEY_END]);
			const name: string = text.includes('\\') ? JSON.parse(`"${text}"`) : text;
			if (Object.hasOwn(value, name)) throw malformedBody('JSON', 'a member name stands twice', bytes, start);
			value[name] = this.valueOf(child);
			children.set(normalised(name), child);
		}
		this.#children.set(value, children);
		return value;
	}

	*#childrenOf(node: number): Generator<number> {
		const { cells } = this.#tape;
		const end = cells[node * STRIDE + NEXT];
		for (let child = node + 1; child < end; child = cells[child * STRIDE + NEXT]) yield child;
	}
}

/** Returns a member name as the library writes it into paths (RFC 9535 §2.7). */
function normalised(name: string): string {
	let out = '';
	for (const character of name) {
		const code = character.charCodeAt(0);
		const short = SHORT_ESCAPES[character];
		if (short !== undefined) out += short;
		else out += code < 0x20 ? `\\u${code.toString(16).padStart(4, '0')}` : character;
	}
	return out;
}

const SHORT_ESCAPES: Record<string, string | undefined> = {
	'\b': '\\b',
	'\f': '\\f',
	'\n': '\\n',
	'\r': '\\r',
	'\t': '\\t',
	"'": "\\'",
	'\\': '\\\\',
};

/** Returns a query that the library evaluates. `checkJsonPath` must have accepted the expression before. */
export function libraryQuery(expression: string): Query<JsonTape> {
	return (tape, context) => {
		tape.values ??= new JsonValues(tape);
		const values = tape.values as JsonValues;
		const found: number[] = [];
		values.spend(context);
		exec(values.valueOf(context), expression, (_, path) => {
			if (found.length === MAX_RESULTS)
				throw refusal(`a selector of the profile matches more than ${MAX_RESULTS} values`);
			found.push(values.nodeAt(context, path));
		});
		sortOnce(found);
		return found;
	};
}
