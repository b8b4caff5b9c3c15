import test from 'ava';
import fc from 'fast-check';
import { JSON_EVENT, type JsonEvent, type JsonProblem, JsonReader } from '../../src/base/text/json.ts';
import { runs } from '../helpers/runs.ts';

/** Says which problem a text has, and where. */
class Problem extends Error {
	readonly problem: JsonProblem;
	readonly at: number;
	constructor(problem: JsonProblem, at: number) {
		super(`${problem} at ${at}`);
		this.problem = problem;
		this.at = at;
	}
}

const fail = (problem: JsonProblem, at: number) => new Problem(problem, at);

/** Builds values from the events of a reader, as a parser does. */
class Builder {
	readonly values: unknown[] = [];
	readonly #open: (unknown[] | Record<string, unknown>)[] = [];
	readonly #keys: string[] = [];

	/** Takes the event that a reader has read. */
	take(event: JsonEvent, reader: JsonReader, bytes: Buffer): void {
		const text = bytes.toString('utf8', reader.start, reader.stop);
		if (event === JSON_EVENT.KEY) this.#keys.push(JSON.parse(`"${text}"`));
		else if (event === JSON_EVENT.STRING) this.#put(JSON.parse(`"${text}"`));
		else if (event === JSON_EVENT.NUMBER || event === JSON_EVENT.LITERAL) this.#put(JSON.parse(text));
		else if (event === JSON_EVENT.OPEN) this.#open.push(reader.isObject(reader.depth) ? {} : []);
		else if (event === JSON_EVENT.CLOSE) this.#put(this.#open.pop());
	}

	#put(value: unknown): void {
		const around = this.#open.at(-1);
		if (around === undefined) this.values.push(value);
		else if (Array.isArray(around)) around.push(value);
		// A plain assignment to `__proto__` would not make a member.
		else
			Object.defineProperty(around, this.#keys.pop()!, { value, enumerable: true, configurable: true, writable: true });
	}
}

/** Reads a text in windows of these sizes, each with other bytes around it. */
function valuesOf(text: Buffer, sizes: readonly number[]): { values: unknown[]; line: number } {
	const reader = new JsonReader({ depth: 20, fail });
	const builder = new Builder();
	for (let from = 0, to = 0, turn = 0, isLast = false; !isLast; turn++) {
		to = Math.min(text.length, Math.max(from, to) + sizes[turn % sizes.length]);
		isLast = to === text.length;
		const window = Buffer.concat([text.subarray(0, to), Buffer.from('"}1')]);
		reader.begin(window, from, to, isLast);
		for (let event = reader.next(); event !== JSON_EVENT.NONE; event = reader.next())
			builder.take(event, reader, window);
		reader.pause();
		from = reader.at;
		if (isLast && from < to) throw new Problem('end', from);
	}
	return { values: builder.values, line: reader.line };
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
const indent = fc.constantFrom('', ' ', '\t');
const between = fc.constantFrom('\n', '\r', '\r\n', ' \n\t\r\n');

test('any values behind each other are those of JSON.parse, however the text is cut into windows', (t) => {
	fc.assert(
		fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), indent, between, sizes, (all, space, gap, cuts) => {
			const text = all.map((each) => JSON.stringify(each, null, space)).join(gap);
			const read = valuesOf(Buffer.from(text), cuts);
			t.deepEqual(read.values, JSON.parse(`[${all.map((each) => JSON.stringify(each)).join()}]`));
			t.is(read.line, text.split(/\r\n|\r|\n/).length);
		}),
		{ numRuns: runs(1000) },
	);
});

const piece = fc.constantFrom(...'{}[],:"\\019-+.eE \n\u0001ntu'.split(''), 'true', 'null', '\\u00e9', '\\n', 'é');

test('a whole text is refused if JSON.parse refuses it, and only then', (t) => {
	let refused = 0;
	let read = 0;
	const damaged = fc
		.tuple(value, fc.nat(), fc.nat(3), fc.oneof(piece, fc.constant('')))
		.map(([each, place, gone, put]) => {
			const text = JSON.stringify(each);
			const at = place % (text.length + 1);
			return text.slice(0, at) + put + text.slice(at + gone);
		});
	const any = fc.oneof(
		damaged,
		fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
	);
	fc.assert(
		fc.property(any, (text) => {
			const bytes = Buffer.from(text);
			const expected = attempt(() => JSON.parse(bytes.toString()));
			const found = attempt(() => readWhole(bytes));
			t.deepEqual(found, expected, text);
			if (expected === undefined) refused++;
			else read++;
		}),
		{ numRuns: runs(10_000) },
	);
	t.true(refused > 50 && read > 50);
});

function attempt(parse: () => unknown): { value: unknown } | undefined {
	try {
		return { value: parse() };
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof Problem) return undefined;
		throw error;
	}
}

function readWhole(bytes: Buffer): unknown {
	const reader = new JsonReader({ depth: 20, fail, isWhole: true });
	const builder = new Builder();
	reader.open(bytes, 0, bytes.length);
	do builder.take(reader.next(), reader, bytes);
	while (reader.depth > 0);
	if (reader.blanksEnd() < bytes.length) throw new Problem('value', reader.at);
	return builder.values[0];
}
