import { ServiceError } from '../../../base/errors.ts';
import { type Fault, textOfFault, type Why, why } from '../../../base/failures.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { nearestName } from '../../../base/settings/layers.ts';

/** At most this many problems are reported, because a text with more of them is probably no document at all. */
export const MAX_PROBLEMS = 100;

export interface ProfileProblem extends Pick<Fault, 'rule' | 'told'> {
	readonly line: number;
	/** The column, counted in characters from 1. */
	readonly column: number;
	/** The place as a JSON Pointer (RFC 6901); empty for the whole document. */
	readonly pointer: string;
}

/** This error is thrown if a profile cannot be used. It carries every problem of the profile. */
export class ProfileError extends ServiceError {
	readonly problems: readonly ProfileProblem[];

	/** @param source names the file or other place that the profile's text comes from, if it is known. */
	constructor(problems: readonly ProfileProblem[], source?: string) {
		const heading = source === undefined ? 'the profile is not usable:' : `the profile in ${source} is not usable:`;
		super('bad-input-data', { moreInfo: [heading, ...problems.map((problem) => `  ${lineOf(problem)}`)].join('\n') });
		this.problems = problems;
	}
}

/** A fault with the place at which it is written. */
export interface PlacedFault extends Fault {
	readonly line: number;
	readonly column: number;
}

/** This error carries every fault of a document whose members are told by their paths. */
export class DocumentError extends ServiceError {
	readonly faults: readonly PlacedFault[];

	constructor(heading: string, faults: readonly PlacedFault[]) {
		const shown = faults.slice(0, MAX_PROBLEMS);
		const lines = shown.map((fault) => `  line ${fault.line}, column ${fault.column}: ${textOfFault(fault)}`);
		super('bad-input-data', { moreInfo: [heading, ...lines].join('\n') });
		this.faults = shown;
	}
}

/** This error carries everything that is wrong with a destination. */
export class DestinationError extends DocumentError {
	constructor(faults: readonly PlacedFault[]) {
		super('the destination is not usable:', faults);
	}
}

/** Returns what is wrong with a text that could not be read as a document. */
export function withoutPath(problems: readonly ProfileProblem[]): PlacedFault[] {
	return problems.map((problem) => ({ ...problem, path: '' }));
}

function lineOf({ line, column, pointer, rule }: ProfileProblem): string {
	return [`line ${line}`, `column ${column}`, ...(pointer === '' ? [] : [pointer])].join(', ').concat(`: ${rule}`);
}

/**
 * Returns the JSON Pointer of a path, such as `/cards/0/number`. The keys of a profile can be any text, so a card
 * number in a key is masked.
 */
export function pointerOf(path: readonly PropertyKey[]): string {
	const steps = path.map((step) =>
		String(step).slice(0, MAX_STEP_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1'),
	);
	return maskCardNumbers(steps.map((step) => `/${step}`).join(''));
}

const MAX_STEP_CHARACTERS = 64;

export function pathOf(pointer: string): string[] {
	const steps = pointer.split('/').slice(1);
	return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Says of a name that is not known which one was probably meant, or which there are. */
export function unknownName(what: 'member' | 'key', name: string, known: readonly string[]): Why {
	const nearest = nearestName(name, known);
	const all = known.join(', ');
	const hint = nearest === null ? `one of ${all}` : `perhaps ${nearest}`;
	return why(`no such ${what}; ${hint}`, 'member-unknown', { known: nearest ?? all });
}
