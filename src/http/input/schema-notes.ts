// What a schema says beside its keywords: notes that the validator does not see and that travel with every copy.

import type { TSchema } from '@sinclair/typebox';

const NOTES = Symbol('notes');

export interface Notes {
	/** The document lists the schema under this name and refers to it from everywhere else. */
	readonly name?: string;
	/** The document shows this schema in its place: a call may take more than callers should send. */
	readonly shownAs?: object;
	/** A parameter that must be sent although not the schema but the call refuses its absence. */
	readonly isRequired?: true;
	/** An example for the document. */
	readonly example?: unknown;
	/** Completes "expected …" in the error of a text that the pattern refuses. */
	readonly expected?: string;
	/** What the items of a list are called in an error. */
	readonly things?: string;
	/** The text is stored in clear, so that it may hold no card number. */
	readonly isClear?: true;
}

/** Returns a copy of the schema with notes beside those it has. */
export function noted<S extends object>(schema: S, notes: Notes): S {
	return { ...schema, [NOTES]: { ...notesOf(schema), ...notes } };
}

/** Gives a schema its name in the document. */
export function named<S extends TSchema>(name: string, schema: S): S {
	return noted(schema, { name });
}

const NONE: Notes = {};

export function notesOf(schema: object): Notes {
	return (schema as { readonly [NOTES]?: Notes })[NOTES] ?? NONE;
}
