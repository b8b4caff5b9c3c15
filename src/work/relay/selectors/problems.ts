import { ServiceError, type Told } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';

export interface SelectorProblem {
	/** The place in the profile as a JSON pointer, such as `/cards/0/number/path`. */
	readonly pointer: string;
	/** Says what was expected at the place that `pointer` names. */
	readonly message: string;
	readonly told: Told;
}

/** Carries all problems of the selectors of a profile, so that they can be corrected at once. */
export class SelectorProblems extends Error {
	override readonly name = 'SelectorProblems';
	readonly problems: readonly SelectorProblem[];

	constructor(problems: readonly SelectorProblem[]) {
		super(problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '));
		this.problems = problems;
	}
}

/**
 * This error is thrown if a selector cannot be used. It does not name the selector, because the code that catches it
 * knows which one was compiled.
 */
export class UnusableSelector extends Error {
	override readonly name = 'UnusableSelector';
}

/**
 * Returns the error for a body that cannot be read in its format. It names byte and line, never content. A body that
 * begins like XML and is not well-formed gets `message-malformed`. Any other body gets `bad-input-data`, like a body in
 * which the selectors match nothing (spec §4.1, §7.4).
 */
export function malformedBody(format: 'XML' | 'JSON', reason: string, bytes: Buffer, offset: number): ServiceError {
	let line = 1;
	for (let i = 0; i < offset && i < bytes.length; i++) {
		if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) line++;
	}
	const moreInfo = `body: not well-formed ${format}: ${reason} at byte ${offset}, line ${line}`;
	const isXml = format === 'XML' && /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, HEAD_BYTES));
	const code = format === 'XML' ? 'xml-malformed' : 'json-malformed';
	return new ServiceError(isXml ? 'message-malformed' : 'bad-input-data', { moreInfo, told: told(code) });
}

/** This many bytes at the beginning of a body are enough to recognise its format. */
const HEAD_BYTES = 256;

/**
 * Returns the error with which a body is refused. It carries no other error as its cause, because the text of a cause
 * could quote the body.
 * @param moreInfo contains nothing of the body
 */
export function refusal(moreInfo: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo });
}
