// Creates the schemas of the members of bodies and answers. Null and an empty text mean that a member is absent, so
// optional members allow both.

import { type TOptional, type TUnsafe, Type } from '@sinclair/typebox';
import { MAX_TEXT_CHARACTERS } from '../../../base/card/verdict.ts';
import { type Notes, noted } from '../input/schema-notes.ts';

interface TextRules {
	readonly pattern?: string;
	readonly maxLength?: number;
}

/** The number of items of a list unless the caller asks for another. */
export const DEFAULT_NUM = 100;

/** The query parameters that cut a page out of a list. */
export const PAGE = {
	from: Type.Optional(
		Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Offset, from 0' }),
	),
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: DEFAULT_NUM })),
};

export function pathText(description: string, example: string) {
	return noted(Type.String({ description }), { example });
}

/** Returns the schema of a text that is required. */
export function text(description: string, rules: TextRules = {}, notes: Notes = {}) {
	return noted(Type.String({ description, ...rules }), notes);
}

export function optionalText(
	description: string | undefined,
	rules: TextRules = {},
	notes: Notes = {},
): TOptional<TUnsafe<string | null>> {
	return Type.Optional(noted(Type.Unsafe<string | null>({ type: ['string', 'null'], description, ...rules }), notes));
}

/** Returns the schema of a reference that the caller chose, which is stored in clear. */
export function reference(description: string) {
	return optionalText(description, { maxLength: MAX_TEXT_CHARACTERS }, { isClear: true });
}

/** Returns the schema of a text that must be one of the given names, in upper or lower case. */
export function choice<const T extends string>(names: readonly T[], description?: string): TUnsafe<T> {
	return Type.Unsafe<T>({ type: 'string', enum: names, description });
}

/**
 * Returns the schema of an amount in major units of its currency, for example in euros and not in cents. It may be a
 * number, or a text so that an amount with many digits stays exact.
 */
export function amount(description: string) {
	return Type.Optional(Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description }));
}

/** Returns the schema of a value that is true or false, which may also be written as text. */
export function flag(description?: string) {
	return Type.Optional(Type.Unsafe<boolean | string | null>({ type: ['boolean', 'string', 'null'], description }));
}

/** Returns the schema of a text in an answer that may be null. */
export function nullable(
	description?: string,
	lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
) {
	return Type.Union([Type.String(lengths), Type.Null()], { description });
}
