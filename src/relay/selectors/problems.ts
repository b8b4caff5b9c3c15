import { ServiceError } from '../../errors.ts';

/** One problem of a selector of a profile. */
export interface SelectorProblem {
	/** A JSON pointer into the profile: `/cards/0/number/path`. */
	readonly pointer: string;
	/** Says what was expected. */
	readonly message: string;
}

/** All problems of the selectors of a profile, so that they can be corrected at once. */
export class SelectorProblems extends Error {
	override readonly name = 'SelectorProblems';
	readonly problems: readonly SelectorProblem[];

	constructor(problems: readonly SelectorProblem[]) {
		super(problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '));
		this.problems = problems;
	}
}

/** One selector cannot be used; the caller knows its pointer. */
export class UnusableSelector extends Error {
	override readonly name = 'UnusableSelector';
}

/**
 * The body cannot be read in its format. The error names byte and line, never content. XML that cannot be parsed has
 * its own text. A body of another kind counts as one that the selectors do not match (spec §4.1, §7.4).
 */
export function malformedBody(format: 'XML' | 'JSON', reason: string, bytes: Buffer, offset: number): ServiceError {
	let line = 1;
	for (let i = 0; i < offset && i < bytes.length; i++) {
		if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) line++;
	}
	const moreInfo = `body: not well-formed ${format}: ${reason} at byte ${offset}, line ${line}`;
	const isXml = format === 'XML' && /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, HEAD_BYTES));
	return new ServiceError(isXml ? 'message-malformed' : 'bad-input-data', { moreInfo });
}

/** Enough of a body's beginning is examined to recognise its format. */
const HEAD_BYTES = 256;

/** @param moreInfo contains no content. There is no cause, because its text could quote some. */
export function refusal(moreInfo: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo });
}
