// From failures that name one field to the list of all of them (spec §7.2.4).

import type { FastifyError } from 'fastify';
import { ServiceError } from '../errors.ts';
import { toServiceError } from './failures.ts';
import { FieldErrors } from './field-errors.ts';

/** What is wrong with a body, gathered while it is read. */
export class FieldProblems {
	private readonly found: Record<string, string[]> = {};

	add(field: string, problem: string): void {
		this.found[field] = [...(this.found[field] ?? []), problem];
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

	/** @throws FieldErrors when something was wrong */
	throwIfAny(): void {
		if (Object.keys(this.found).length > 0) throw new FieldErrors(this.found);
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

function isBadInput(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.status === 400;
}

/** Texts about a bad input begin with the name of the field; those that do not are about the body. */
function placeOf({ message, moreInfo }: ServiceError): [field: string, problem: string] {
	const named = /^([\w.@[\]-]+): (.+)$/s.exec(moreInfo ?? '');
	return named ? [named[1], named[2]] : ['body', moreInfo ?? message];
}
