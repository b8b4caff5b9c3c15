// Reads the text of a profile, YAML or JSON, as plain values with their places. Scalars stay text as written: `001` is
// a third party's code and not a number, and `no` is not false. Of YAML, only comments, block style and what JSON has
// too are accepted: no anchors, which could make a small text expand to a very large one, and no tags, which could
// create objects.

import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { type Why, why } from '../../../base/failures.ts';
import { MAX_PROBLEMS, type ProfileProblem, pointerOf } from './profile-problems.ts';

export const MAX_PROFILE_BYTES = 256 * 1024;

type Path = readonly PropertyKey[];

/** Holds what was read from the text of a profile: its value, and what is wrong with the text. */
export interface ProfileText {
	/**
	 * The value is made of strings, lists and objects without prototype. It is undefined if the document is empty or
	 * cannot be parsed.
	 */
	readonly value: unknown;
	readonly problems: readonly ProfileProblem[];
	/** Returns a problem of the value at a path. Where nothing is written, its place is that of the nearest element. */
	problemAt(path: Path, rule: Why): ProfileProblem;
	/** Returns a problem of the key at a path. Its place is that of the key and not that of the key's value. */
	problemAtKey(path: Path, rule: Why): ProfileProblem;
}

/**
 * Reads any text and never throws; what is wrong with the text is in `problems`. With the schema `core`, numbers, true and
 * false are values of their own and not text.
 */
export function readProfileText(
	text: string,
	{ schema = 'failsafe', maxBytes = MAX_PROFILE_BYTES }: { schema?: 'failsafe' | 'core'; maxBytes?: number } = {},
): ProfileText {
	const most = `${maxBytes / 1024} KiB`;
	if (Buffer.byteLength(text) > maxBytes) return unreadable(why(`expected at most ${most}`, 'too-many', { most }));
	// Text in UTF-16, which some editors and shells write, contains NUL bytes.
	if (text.includes('\0')) return unreadable(malformed('expected UTF-8 text'));
	const lineCounter = new LineCounter();
	const document = parseDocument(text, {
		schema,
		// Repeated keys are checked further below, because the YAML library would compare every key with every other key.
		uniqueKeys: false,
		prettyErrors: false,
		lineCounter,
	});
	const problems = new Map<string, ProfileProblem>();
	const places = new Map<string, number>();
	const keyPlaces = new Map<string, number>();
	const note = (offset: number, path: Path, { reason: rule, told }: Why) => {
		const { line, col } = lineCounter.linePos(Math.min(offset, text.length));
		const problem = { line: Math.max(line, 1), column: Math.max(col, 1), pointer: pointerOf(path), rule, told };
		problems.set(JSON.stringify(problem), problem);
		return problem;
	};
	const placed = (path: Path, rule: Why, offset: number | undefined): ProfileProblem => {
		let place = offset;
		for (let depth = path.length; place === undefined && depth >= 0; depth--) {
			place = places.get(placeName(path.slice(0, depth)));
		}
		return note(place ?? 0, path, rule);
	};
	// One mistake in the syntax often causes a series of further errors, so only the first error is reported.
	for (const { code, pos } of document.errors.slice(0, 1)) {
		const rule = code === 'MULTIPLE_DOCS' ? 'expected one document' : `expected valid YAML or JSON (${code})`;
		note(pos[0], [], malformed(rule));
	}
	const value = problems.size > 0 ? undefined : plainValue(document.contents, { places, keyPlaces, note });
	return {
		value,
		problems: [...problems.values()].slice(0, MAX_PROBLEMS),
		problemAt: (path, rule) => placed(path, rule, places.get(placeName(path))),
		problemAtKey: (path, rule) => placed(path, rule, keyPlaces.get(placeName(path))),
	};
}

function malformed(rule: string): Why {
	return why(rule, 'document-malformed');
}

function unreadable({ reason: rule, told }: Why): ProfileText {
	const problem = { line: 1, column: 1, pointer: '', rule, told };
	return { value: undefined, problems: [problem], problemAt: () => problem, problemAtKey: () => problem };
}

const placeName = (path: Path) => JSON.stringify(path.map(String));

interface Walk {
	readonly places: Map<string, number>;
	readonly keyPlaces: Map<string, number>;
	note(offset: number, path: Path, rule: Why): void;
}

/**
 * A text that is nested more deeply than this many levels is refused, so that the JSON Pointers to its elements stay
 * short. A profile has only four levels.
 */
const MAX_DEPTH = 16;

function plainValue(node: Node | null, walk: Walk, path: Path = []): unknown {
	if (node === null) return undefined;
	const offset = node.range?.[0] ?? 0;
	walk.places.set(placeName(path), offset);
	if (path.length > MAX_DEPTH) return void walk.note(offset, path, malformed(`expected at most ${MAX_DEPTH} levels`));
	if ((node as { anchor?: string }).anchor)
		walk.note(offset, path, malformed('expected no anchor: YAML aliases are not taken'));
	if (node.tag) walk.note(offset, path, malformed('expected no tag: YAML tags are not taken'));
	if (isMap(node)) return plainObject(node.items as Pair<Node, Node | null>[], walk, path);
	if (isSeq(node)) return node.items.map((item, index) => plainValue(item as Node, walk, [...path, index]));
	if (!isScalar(node)) return void walk.note(offset, path, malformed('expected no alias: YAML aliases are not taken'));
	const isAbsent = node.type === 'PLAIN' && /^(|~|null)$/i.test(String(node.value));
	if (isAbsent) return undefined;
	return typeof node.value === 'number' || typeof node.value === 'boolean' ? node.value : String(node.value);
}

function plainObject(pairs: readonly Pair<Node, Node | null>[], walk: Walk, path: Path): object {
	// In an object without a prototype, `__proto__` is a key like any other.
	const plain: Record<string, unknown> = Object.create(null);
	for (const { key, value } of pairs) {
		const offset = key.range?.[0] ?? 0;
		if (!isScalar(key) || key.tag || key.anchor) {
			walk.note(offset, path, malformed('expected a plain name for a key'));
			continue;
		}
		const name = String(key.value);
		const inner = [...path, name];
		if (Object.hasOwn(plain, name))
			walk.note(offset, inner, why('expected once: the key stands here twice', 'member-twice'));
		walk.keyPlaces.set(placeName(inner), offset);
		plain[name] = plainValue(value, walk, inner);
	}
	return plain;
}
