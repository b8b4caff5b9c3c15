// The kinds of members that bodies and answers have. Null and an empty text count as absent, so that optional members
// allow both.

import { type TOptional, type TUnsafe, Type } from '@sinclair/typebox';
import { MAX_REFERENCE_CHARACTERS } from '../input/query-values.ts';
import { type Notes, noted } from '../input/schema-notes.ts';

interface TextRules {
	readonly pattern?: string;
	readonly maxLength?: number;
}

/** A text that must be there. */
export function text(description: string, rules: TextRules = {}, notes: Notes = {}) {
	return noted(Type.String({ description, ...rules }), notes);
}

/** A text that may be absent. */
export function optionalText(
	description: string | undefined,
	rules: TextRules = {},
	notes: Notes = {},
): TOptional<TUnsafe<string | null>> {
	return Type.Optional(noted(Type.Unsafe<string | null>({ type: ['string', 'null'], description, ...rules }), notes));
}

/** A reference of the caller's own, which is kept in clear. */
export function reference(description: string) {
	return optionalText(description, { maxLength: MAX_REFERENCE_CHARACTERS }, { isClear: true });
}

/** One of some names, in any case. */
export function choice<const T extends string>(names: readonly T[], description?: string): TUnsafe<T> {
	return Type.Unsafe<T>({ type: 'string', enum: names, description });
}

/** An amount in major units, as a number or, with many digits, as text. */
export function amount(description: string) {
	return Type.Optional(Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description }));
}

/** True or false, also as text. */
export function flag(description?: string) {
	return Type.Optional(Type.Unsafe<boolean | string | null>({ type: ['boolean', 'string', 'null'], description }));
}

/** A member of an answer that may be null. */
export function nullable(description?: string) {
	return Type.Union([Type.String(), Type.Null()], { description });
}
