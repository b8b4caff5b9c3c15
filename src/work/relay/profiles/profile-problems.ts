import { ServiceError } from '../../../base/errors.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';

export interface ProfileProblem {
	readonly line: number;
	/** The column, counted in characters from 1. */
	readonly column: number;
	/** The place as a JSON Pointer (RFC 6901); empty for the whole document. */
	readonly pointer: string;
	/** Says what is expected, such as `expected M or MM`. It never quotes the value. */
	readonly rule: string;
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
