// Declares a setting: its type, its rule in words, and an example that obeys the rule.

import { z } from 'zod';
import { readAddressRange } from './address-range.ts';

/**
 * Tells what it means that a setting is empty: either a feature is off (`none`), or the value is derived from other
 * settings (`derived`).
 */
export type WhenEmpty = { readonly none: string } | { readonly derived: string };

/** The texts about a setting that a problem report shows in addition to its value. */
export interface KeyNotes {
	readonly rule: string;
	readonly example: string;
	/** The meaning of the setting if it is empty; absent if it must not be empty. */
	readonly whenEmpty?: WhenEmpty;
}

export function key<T extends z.ZodType>(schema: T, rule: string, example: string): T {
	return schema.meta({ rule, example });
}

/** Declares a setting that may be left empty, and tells what it then means. */
export function optional<T extends z.ZodType>(
	schema: T,
	whenEmpty: WhenEmpty,
	rule: string,
	example: string,
): z.ZodNullable<T> {
	return schema.nullable().meta({ rule, example, whenEmpty });
}

/** Returns the rule of a setting together with the meaning of an empty value, as a problem report shows them. */
export function wholeRule({ rule, whenEmpty }: KeyNotes): string {
	return whenEmpty === undefined ? rule : `${rule}; empty: ${Object.values(whenEmpty)[0]}`;
}

export const whole = (min: number, max: number, what: string, example: number) =>
	key(z.int().min(min).max(max), `${what}, a whole number from ${min} to ${max}`, String(example));
const host = () => key(z.string().regex(/^[a-z0-9_.:-]+$/i), 'a host name or address to listen on', '127.0.0.1');
const port = (example: number) => whole(0, 65_535, 'a port (0: any free one)', example);
export const endpoint = (examplePort: number) => ({ host: host(), port: port(examplePort) });
/** A path. One that is relative is made absolute when all settings are read. */
export const PATH = z
	.string()
	.min(1)
	.refine((text) => !text.includes('\0'))
	.meta({ isPath: true });

export function isPath(schema: z.ZodType): boolean {
	const inner = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
	return inner.meta()?.isPath === true;
}

export const ADDRESS = z
	.string()
	.regex(/^https?:\/\/[^\s?#@]+$/i)
	.refine((text) => URL.canParse(text));

export const ranges = (none: string, rule: string, example: string) =>
	optional(
		z.string().refine((text) => text.split(',').every((range) => readAddressRange(range.trim()) !== undefined)),
		{ none },
		rule,
		example,
	);

/** Declares a setting that is true or false, with a text that says what true allows and what it risks. */
export const consent = (allows: string, risk: string, example: 'true' | 'false' = 'true') =>
	key(z.boolean(), `true or false; true allows ${allows}: ${risk}`, example);

export const period = (what: string) => whole(1, 3650, `days until ${what} replaced`, 365);
