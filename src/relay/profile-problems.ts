import { ServiceError } from '../errors.ts';
import { maskCardNumbers } from '../log/card-numbers.ts';

/** Describes one problem of a profile, and its place in the text. */
export interface ProfileProblem {
	/** The line, counted from 1. */
	readonly line: number;
	/** The column, counted in characters from 1. */
	readonly column: number;
	/** The place as a JSON Pointer (RFC 6901); empty for the whole document. */
	readonly pointer: string;
	/** Says what is expected, such as `expected M or MM`. It never quotes the value. */
	readonly rule: string;
}

/** This error is thrown if the profile cannot be used. The error carries every problem. */
export class ProfileError extends ServiceError {
	readonly problems: readonly ProfileProblem[];

	/** @param source names where the text comes from, such as a file, if that is known. */
	constructor(problems: readonly ProfileProblem[], source?: string) {
		const heading = source === undefined ? 'the profile is not usable:' : `the profile in ${source} is not usable:`;
		super('bad-input-data', { moreInfo: [heading, ...problems.map((problem) => `  ${lineOf(problem)}`)].join('\n') });
		this.problems = problems;
	}
}

function lineOf({ line, column, pointer, rule }: ProfileProblem): string {
	return [`line ${line}`, `column ${column}`, ...(pointer === '' ? [] : [pointer])].join(', ').concat(`: ${rule}`);
}

/** Returns a pointer such as `/cards/0/number`. Keys can be any text, so a card number in one is masked. */
export function pointerOf(path: readonly PropertyKey[]): string {
	const steps = path.map((step) =>
		String(step).slice(0, MAX_STEP_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1'),
	);
	return maskCardNumbers(steps.map((step) => `/${step}`).join(''));
}

const MAX_STEP_CHARACTERS = 64;

/** Returns the steps of a pointer without escapes. */
export function pathOf(pointer: string): string[] {
	const steps = pointer.split('/').slice(1);
	return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
