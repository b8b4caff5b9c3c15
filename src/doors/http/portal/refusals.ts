// The errors with which the portal refuses a request, and how a form that was refused is told apart from a failure.

import { type Reason, ServiceError } from '../../../base/errors.ts';
import { type Fault, toldBy, why } from '../../../base/failures.ts';
import type { Html } from '../../../base/pages/html.ts';
import type { Right } from '../../../people/portal-users/rights.ts';
import { DestinationError } from '../../../work/relay/profiles/profile-problems.ts';
import { FieldErrors } from '../input/field-errors.ts';
import { toServiceError } from '../server/failures.ts';
import { faultPart, type Reader, wordsFor } from './failure-words.ts';
import { joined } from './pieces.ts';

/** This error means that the role of the viewer does not include the right that the request needs. */
export class ForbiddenError extends Error {
	override readonly name = 'ForbiddenError';
	/** The right that is lacking; undefined if no right would allow it. */
	readonly right: Right | undefined;

	constructor(right?: Right) {
		super('forbidden');
		this.right = right;
	}
}

/** This error means that the request was not sent by a page of ours in this session. */
export class ForgedError extends Error {
	override readonly name = 'ForgedError';
}

/** This error means that the session ended while the body of the request was received. */
export class SessionEndedError extends Error {
	override readonly name = 'SessionEndedError';
}

/**
 * Returns the error for something that belongs to another account. It is the same as for something that does not exist,
 * so that nobody learns of it.
 */
export function notThere(): ServiceError {
	return new ServiceError('uri-not-found');
}

/** What is wrong with a form, by the names of its fields; a message about no field has an empty name. */
export type Refusal = Readonly<Record<string, string | Html>>;

/** This error says in the words of the page what is wrong with a form. */
export class RefusedFormError extends Error {
	override readonly name = 'RefusedFormError';
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super('a form was refused');
		this.refusal = refusal;
	}
}

/**
 * The errors that a form shows above its fields instead of the error page: those about its input, all that are not
 * failures of ours, or these and the failures that the server of a partner causes.
 */
export type Shows = 'input' | 'refusals' | 'partners';

const OF_PARTNERS: ReadonlySet<Reason> = new Set(['target-unreachable', 'request-timed-out']);

/**
 * Returns what an error says about a form, in the language of its reader as far as its code says it.
 * @throws the error itself, if it is none that the form shows
 */
export function refusalOf(error: unknown, shows: Shows, reader: Reader): Refusal {
	if (error instanceof RefusedFormError) return error.refusal;
	if (shows === 'input') {
		if (!(error instanceof ServiceError) || error.reason !== 'bad-input-data') throw error;
		return refusalOfService(error, reader);
	}
	if (error instanceof FieldErrors) {
		const wordsOf = (texts: readonly string[]) => wordsFor(reader, why(texts.join('; '), 'value-malformed'));
		return Object.fromEntries(Object.entries(error.errors).map(([name, texts]) => [name, wordsOf(texts)]));
	}
	if (error instanceof DestinationError) return refusalOfFaults(error.faults, reader, (path) => path);
	const failure = toServiceError(error);
	const { status, reason } = failure;
	if (reason === 'token-not-accessible') throw notThere();
	const isFailure = status >= 500 && !(shows === 'partners' && OF_PARTNERS.has(reason));
	if (isFailure || status === 404) throw error;
	return refusalOfService(failure, reader);
}

/** Returns what is wrong with a document that a form has made, by the fields of the form. */
export function refusalOfFaults(faults: readonly Fault[], reader: Reader, fieldOf: (path: string) => string): Refusal {
	const byField = Map.groupBy(faults, ({ path }) => fieldOf(path));
	return Object.fromEntries(
		[...byField].map(([field, of]) => [field, joined(of.map((each) => faultPart(reader, each)))]),
	);
}

function refusalOfService(error: ServiceError, reader: Reader): Refusal {
	const { said, moreInfo, message } = error;
	const [field, reason] = said.field === undefined ? ['', moreInfo ?? message] : [said.field, said.problem];
	return { [field]: wordsFor(reader, { reason, told: toldBy(error) }) };
}
