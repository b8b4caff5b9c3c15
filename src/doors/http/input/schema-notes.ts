// Attaches notes to a schema in addition to its keywords. The validator does not see them, and they are kept when a
// schema is copied.

import type { TSchema } from '@sinclair/typebox';

const NOTES = Symbol('notes');

export interface Notes {
	/** The OpenAPI document lists the schema under this name once, and refers to it from everywhere else. */
	readonly name?: string;
	/** The OpenAPI document shows this schema instead, because the call accepts more than callers should send. */
	readonly shownAs?: object;
	/** True for a parameter that the call itself refuses to miss, although its schema does not require it. */
	readonly isRequired?: true;
	readonly example?: unknown;
	/** This text completes the error "expected …" if a text does not match the pattern. */
	readonly expected?: string;
	/** Error texts use this word for the items of a list. */
	readonly things?: string;
	/** True if the text is stored in clear, so that it must not contain a card number. */
	readonly isClear?: true;
}

export function noted<S extends object>(schema: S, notes: Notes): S {
	return { ...schema, [NOTES]: { ...notesOf(schema), ...notes } };
}

/** Returns a copy of the schema that has a name in the OpenAPI document. */
export function named<S extends TSchema>(name: string, schema: S): S {
	return noted(schema, { name });
}

const NONE: Notes = {};

export function notesOf(schema: object): Notes {
	return (schema as { readonly [NOTES]?: Notes })[NOTES] ?? NONE;
}
