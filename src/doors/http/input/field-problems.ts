// Collects errors about single fields into one list of all invalid fields (spec §7.2.4).

import type { FastifyError } from 'fastify';
import { ServiceError } from '../../../base/errors.ts';
import { toServiceError } from '../server/failures.ts';
import { FieldErrors } from './field-errors.ts';

/** Collects the problems of the fields of a body while the body is read. */
export class FieldProblems {
	readonly #found: Record<string, string[]> = {};

	add(field: string, problem: string): void {
		const known = this.#found[field] ?? [];
		if (!known.includes(problem)) this.#found[field] = [...known, problem];
	}

	get isEmpty(): boolean {
		return Object.keys(this.#found).length === 0;
	}

	/**
	 * Calls `reading` and returns its result. If it throws the error for an invalid field (a 400), the problem is noted
	 * under the name of the field, and undefined is returned.
	 */
	read<T>(reading: () => T): T | undefined {
		try {
			return reading();
		} catch (error) {
			this.note(error);
			return undefined;
		}
	}

	/**
	 * Notes the problem that an error for an invalid field (a 400) names.
	 * @throws the error itself if it is any other error
	 */
	note(error: unknown): void {
		if (!isBadInput(error)) throw error;
		const [field, problem] = placeOf(error);
		this.add(field, problem);
	}

	/**
	 * Fails with the problems that were noted. It may only be called if there are problems.
	 * @throws FieldErrors
	 */
	fail(): never {
		throw new FieldErrors(this.#found);
	}

	/** @throws FieldErrors */
	throwIfAny(): void {
		if (!this.isEmpty) this.fail();
	}
}

/**
 * Handles the errors of a call that lists its invalid fields in `errors`. An error about one invalid field is turned
 * into a list of this one field.
 */
export function listFields(error: FastifyError): never {
	if (error instanceof FieldErrors) throw error;
	const failure = toServiceError(error);
	if (!isBadInput(failure)) throw error;
	const [field, problem] = placeOf(failure);
	throw new FieldErrors({ [field]: [problem] });
}

/**
 * Handles the errors of a call that reports an unreadable body as bad input data instead of a badly formatted message
 * (spec §7.4).
 */
export function refuseAsInput(error: FastifyError): never {
	if (!(error instanceof ServiceError) || error.reason !== 'message-malformed') throw error;
	throw new ServiceError('bad-input-data', { ...error.said, cause: error });
}

function isBadInput(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.status === 400;
}

/** Returns the field and the problem that an error with the status 400 names; without a field, it is `body`. */
function placeOf({ message, moreInfo, said }: ServiceError): [field: string, problem: string] {
	return said.field === undefined ? ['body', moreInfo ?? message] : [said.field, said.problem];
}
