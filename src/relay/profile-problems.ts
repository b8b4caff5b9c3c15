import { ServiceError } from '../errors.ts';
import { maskCardNumbers } from '../log/card-numbers.ts';

/** One thing that is wrong with a profile, and where in its text. */
export interface ProfileProblem {
	/** From 1. */
	readonly line: number;
	/** From 1, in characters. */
	readonly column: number;
	/** JSON Pointer (RFC 6901); empty for the document. */
	readonly pointer: string;
	/** `expected M or MM`: what should stand there, never what does. */
	readonly rule: string;
}

/** A profile cannot be used. Carries every problem, not just the first. */
export class ProfileError extends ServiceError {
	readonly problems: readonly ProfileProblem[];

	/** @param source where the text comes from, when that is worth saying: a file. */
	constructor(problems: readonly ProfileProblem[], source?: string) {
		const heading = source === undefined ? 'the profile is not usable:' : `the profile in ${source} is not usable:`;
		super('bad-input-data', { moreInfo: [heading, ...problems.map((problem) => `  ${lineOf(problem)}`)].join('\n') });
		this.problems = problems;
	}
}

function lineOf({ line, column, pointer, rule }: ProfileProblem): string {
	return [`line ${line}`, `column ${column}`, ...(pointer === '' ? [] : [pointer])].join(', ').concat(`: ${rule}`);
}

/** `/cards/0/number`. What somebody wrote for a key may be anything, so no card number in it comes through. */
export function pointerOf(path: readonly PropertyKey[]): string {
	const steps = path.map((step) =>
		String(step).slice(0, MAX_STEP_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1'),
	);
	return maskCardNumbers(steps.map((step) => `/${step}`).join(''));
}

const MAX_STEP_CHARACTERS = 64;

/** The steps of a pointer into something well formed. */
export function pathOf(pointer: string): string[] {
	const steps = pointer.split('/').slice(1);
	return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
