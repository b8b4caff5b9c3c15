// Reads the three sources of settings (the defaults, the file of --config, the variables) into the same shape. Each
// source overrides the ones before it.

import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { type SettingsProblem, shownValue } from './problems.ts';
import { type Leaf, leaves, MASTER_KEY_VARIABLE } from './schema.ts';

export interface Tree {
	[key: string]: unknown;
}

export interface Layer {
	readonly name: string;
	readonly tree: Tree;
	readonly problems: readonly SettingsProblem[];
}

export function isTree(value: unknown): value is Tree {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shipped = new Map<string, Layer>();

/**
 * Reads a file that is part of Tokendrop. It does not change while a process runs, so it is read once: parsing YAML takes
 * several milliseconds.
 */
export function readShippedLayer(path: string): Layer {
	const layer = shipped.get(path) ?? readFileLayer(path);
	shipped.set(path, layer);
	return layer;
}

/**
 * Reads a YAML file. Its problems name a line and never quote the file, because the file may hold secrets by mistake.
 */
export function readFileLayer(path: string): Layer {
	const failed = (rule: string): Layer => ({
		name: path,
		tree: {},
		problems: [{ key: 'config', source: path, value: null, rule, example: null }],
	});
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		return failed(`a file that can be read (${(error as NodeJS.ErrnoException).code})`);
	}
	const lines = new LineCounter();
	const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
	if (document.errors.length > 0) {
		const [error] = document.errors;
		return failed(`valid YAML (${error.code} in line ${lines.linePos(error.pos[0]).line})`);
	}
	const content: unknown = document.toJS();
	if (content === null) return { name: path, tree: {}, problems: [] };
	return isTree(content) ? { name: path, tree: content, problems: [] } : failed('keys with values');
}

export type Variables = Readonly<Record<string, string | undefined>>;

const PREFIX = 'TOKENDROP_';

/**
 * Reads the `TOKENDROP_*` variables. An empty variable is treated as absent, because compose files pass a variable that
 * is not set as an empty one.
 */
export function readVariables(variables: Variables): Layer {
	const byVariable = new Map(leaves.map((leaf) => [leaf.variable, leaf]));
	const tree: Tree = {};
	const problems: SettingsProblem[] = [];
	for (const [name, text] of Object.entries(variables).sort()) {
		if (!name.startsWith(PREFIX) || isNoSetting(name) || text === undefined || text === '') continue;
		const leaf = byVariable.get(name);
		if (leaf === undefined) {
			const rule = 'a variable that exists';
			const example = nearestName(name, [...byVariable.keys(), MASTER_KEY_VARIABLE]);
			problems.push({ key: name, source: 'environment', value: shownValue(text, name), rule, example });
		} else setAt(tree, leaf.path, readValue(text, leaf));
	}
	return { name: 'environment', tree, problems };
}

/**
 * Tells whether a variable has the prefix of settings but is not a setting: the variables of tests and scripts, and the
 * master key, which is read separately.
 */
function isNoSetting(name: string): boolean {
	return name === MASTER_KEY_VARIABLE || /^TOKENDROP_(TEST|TRY)_/.test(name);
}

/** Reads a variable, which is always text. The schema of the setting decides whether it means a number or a boolean. */
function readValue(text: string, leaf: Leaf): unknown {
	if (leaf.schema.safeParse(text).success) return text;
	if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	if (text === 'true' || text === 'false') return text === 'true';
	return text;
}

/** Sets a value at a path, and creates the missing sections. */
export function setAt(tree: Tree, path: readonly string[], value: unknown): void {
	let place = tree;
	for (const name of path.slice(0, -1)) place = (place[name] ??= {}) as Tree;
	place[path[path.length - 1]] = value;
}

export function findAt(tree: Tree, path: readonly PropertyKey[]): unknown {
	let place: unknown = tree;
	for (const name of path) {
		if (!isTree(place) || !Object.hasOwn(place, name)) return undefined;
		place = place[name as string];
	}
	return place;
}

/** Merges `over` into `under`: sections are merged key by key, everything else is replaced. */
export function overlay(under: Tree, over: Tree): Tree {
	const merged: Tree = { ...under };
	for (const [name, value] of Object.entries(over)) {
		const below = merged[name];
		merged[name] = isTree(below) && isTree(value) ? overlay(below, value) : value;
	}
	return merged;
}

/** Returns the known name that is the fewest edits away, as a hint; null if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
	const ranked = known.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
	ranked.sort((a, b) => a.distance - b.distance);
	return ranked[0].distance <= Math.max(2, name.length / 4) ? ranked[0].candidate : null;
}

function editDistance(a: string, b: string): number {
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const swap = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
			row.push(Math.min(previous[j] + 1, row[j - 1] + 1, swap));
		}
		previous = row;
	}
	return previous[b.length];
}
