// From failures that name one field to the list of all of them (spec §7.2.4).

import type { FastifyError } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { toServiceError } from '../server/failures.ts';
import { FieldErrors } from './field-errors.ts';

/** What is wrong with a body, gathered while it is read. */
export class FieldProblems {
	readonly #found: Record<string, string[]> = {};

	add(field: string, problem: string): void {
		const known = this.#found[field] ?? [];
		if (!known.includes(problem)) this.#found[field] = [...known, problem];
	}

	get isEmpty(): boolean {
		return Object.keys(this.#found).length === 0;
	}

	/** A value, or undefined when reading it was a bad input, which is noted under its field. */
	read<T>(reading: () => T): T | undefined {
		try {
			return reading();
		} catch (error) {
			this.note(error);
			return undefined;
		}
	}

	/** Notes a bad input. @throws whatever is none */
	note(error: unknown): void {
		if (!isBadInput(error)) throw error;
		const [field, problem] = placeOf(error);
		this.add(field, problem);
	}

	/** @throws FieldErrors with what was found, which is to be something */
	fail(): never {
		throw new FieldErrors(this.#found);
	}

	/** @throws FieldErrors when something was wrong */
	throwIfAny(): void {
		if (!this.isEmpty) this.fail();
	}
}

/** Error handler of a route all of whose bad inputs are answered as `errors`. */
export function listFields(error: FastifyError): never {
	if (error instanceof FieldErrors) throw error;
	const failure = toServiceError(error);
	if (!isBadInput(failure)) throw error;
	const [field, problem] = placeOf(failure);
	throw new FieldErrors({ [field]: [problem] });
}

/**
 * Error handler of a call for which a body that cannot be read is bad input data, and not a badly formatted message
 * (spec §7.4).
 */
export function refuseAsInput(error: FastifyError): never {
	if (!(error instanceof ServiceError) || error.reason !== 'message-malformed') throw error;
	throw new ServiceError('bad-input-data', { ...error.said, cause: error });
}

function isBadInput(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.status === 400;
}

/** A bad input that is about no field is about the body. */
function placeOf({ message, moreInfo, said }: ServiceError): [field: string, problem: string] {
	return said.field === undefined ? ['body', moreInfo ?? message] : [said.field, said.problem];
}
