// Compiles simple JSONPath expressions to steps, which are then followed on the tape without the JSONPath library. The
// library's own parser reads the expression, so that the steps and the library agree on its meaning.

import type { JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { isPlainName, type KnownNames } from '../known-names.ts';
import { sortOnce } from '../node-order.ts';
import { JSON_KIND, type JsonTape, KIND, NAME, NEXT, STRIDE } from './tape.ts';

type Segment = JsonPathQuery['segments'][number];

interface JsonStep {
	readonly isDescendant: boolean;
	/** The id of the member name that the step selects; `ANY` or `BY_INDEX` if the step selects no name. */
	readonly name: number;
	/** The index of the array element that the step selects, if `name` is `BY_INDEX`. */
	readonly index: number;
}

const ANY = -1;
const BY_INDEX = -2;

/**
 * Returns the steps of an expression that consists of names, wildcards and indexes; undefined for any other expression,
 * which only the library can evaluate.
 */
export function findJsonSteps(query: JsonPathQuery, names: KnownNames): readonly JsonStep[] | undefined {
	const steps = query.segments.map(stepOf);
	if (steps.some((step) => step === undefined)) return undefined;
	return (steps as Step[]).map(({ isDescendant, name, index }) => ({
		isDescendant,
		name: name !== undefined ? names.add(name) : index !== undefined ? BY_INDEX : ANY,
		index: index ?? 0,
	}));
}

interface Step {
	readonly isDescendant: boolean;
	readonly name?: string;
	readonly index?: number;
}

function stepOf({ type, node }: Segment): Step | undefined {
	const isDescendant = type === 'DescendantSegment';
	if (node.type === 'BracketedSelection' && node.selectors.length !== 1) return undefined;
	const selector = node.type === 'BracketedSelection' ? node.selectors[0] : node;
	switch (selector.type) {
		case 'WildcardSelector':
			return { isDescendant };
		case 'MemberNameShorthand':
		case 'NameSelector':
			return isPlainName(selector.value) ? { isDescendant, name: selector.value } : undefined;
		case 'IndexSelector':
			return selector.value >= 0 ? { isDescendant, index: selector.value } : undefined;
		default:
			return undefined;
	}
}

export function followJsonSteps(tape: JsonTape, steps: readonly JsonStep[], context: number): readonly number[] {
	if (steps.every(isSingular)) return followOne(tape, steps, context);
	let found = [context];
	for (const step of steps) {
		const next: number[] = [];
		let covered = -1;
		for (const from of found) {
			if (!step.isDescendant) addChildren(tape, step, from, next);
			else if (from >= covered) {
				covered = tape.cells[from * STRIDE + NEXT];
				if (step.name > 0) addNamed(tape, step.name, from + 1, covered, next);
				else for (let i = from; i < covered; i++) addChildren(tape, step, i, next);
			}
		}
		sortOnce(next);
		found = next;
	}
	return found;
}

const isSingular = ({ isDescendant, name }: JsonStep) => !isDescendant && name !== ANY;

const NONE: readonly number[] = [];

function followOne(tape: JsonTape, steps: readonly JsonStep[], context: number): readonly number[] {
	let node = context;
	for (const step of steps) {
		node = findChild(tape, step, node);
		if (node < 0) return NONE;
	}
	return [node];
}

/** Returns the one child that a name or an index selects, or -1 if there is no such child. */
function findChild({ cells }: JsonTape, { name, index }: JsonStep, from: number): number {
	const row = from * STRIDE;
	if (cells[row + KIND] !== (name === BY_INDEX ? JSON_KIND.ARRAY : JSON_KIND.OBJECT)) return -1;
	const end = cells[row + NEXT];
	let left = index;
	for (let child = from + 1; child < end; child = cells[child * STRIDE + NEXT]) {
		if (name === BY_INDEX ? left-- === 0 : cells[child * STRIDE + NAME] === name) return child;
	}
	return -1;
}

function addChildren(tape: JsonTape, step: JsonStep, from: number, found: number[]): void {
	if (step.name !== ANY) {
		const child = findChild(tape, step, from);
		if (child >= 0) found.push(child);
		return;
	}
	const { cells } = tape;
	const kind = cells[from * STRIDE + KIND];
	if (kind !== JSON_KIND.OBJECT && kind !== JSON_KIND.ARRAY) return;
	const end = cells[from * STRIDE + NEXT];
	for (let child = from + 1; child < end; child = cells[child * STRIDE + NEXT]) found.push(child);
}

/** Adds every value of the member name to `found`. Elements of arrays have no name on the tape, so they are skipped. */
function addNamed({ cells }: JsonTape, name: number, from: number, to: number, found: number[]): void {
	for (let i = from; i < to; i++) if (cells[i * STRIDE + NAME] === name) found.push(i);
}
