// What the schema of a body says of a member, held against its value. The texts of the problems stand here, by the keyword
// that is broken.

import { holdsCardNumber } from '../../card/spelled-number.ts';
import { notesOf } from './schema-notes.ts';

/** The keywords that are read of a schema. */
export interface MemberSchema {
	readonly properties?: Readonly<Record<string, MemberSchema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: MemberSchema | boolean;
	readonly anyOf?: readonly MemberSchema[];
	readonly items?: MemberSchema;
	readonly enum?: readonly string[];
	readonly pattern?: string;
	readonly maxLength?: number;
	readonly maxItems?: number;
	readonly minimum?: number;
	readonly maximum?: number;
}

const ANYTHING: MemberSchema = {};

/** Returns the schema of a member, where an object that may be null has that of the object. */
export function memberOf(schema: MemberSchema, name: string): MemberSchema {
	const { properties, additionalProperties } = schema;
	const found = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : ANYTHING);
	return found.anyOf?.find((each) => each.properties) ?? found;
}

/** Patterns are compiled once. */
const patterns = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
	let compiled = patterns.get(pattern);
	if (compiled === undefined) patterns.set(pattern, (compiled = new RegExp(pattern)));
	return compiled.test(text);
}

/** Returns what is wrong with a text, or undefined. */
export function textProblem(schema: MemberSchema, text: string): string | undefined {
	const { maxLength, pattern, enum: names } = schema;
	if (maxLength !== undefined && text.length > maxLength) return `longer than ${maxLength} characters`;
	const { isClear, expected = `text like ${pattern}` } = notesOf(schema);
	if (isClear && holdsCardNumber(text)) return 'looks like a card number';
	if (pattern !== undefined && !matches(pattern, text)) return `expected ${expected}`;
	if (names !== undefined && nameAmong(names, text) === undefined) return `expected one of ${names.join(', ')}`;
	return undefined;
}

/** Returns a name as the schema spells it; callers may write it in any case. */
export function spelled({ enum: names }: MemberSchema, text: string): string {
	return (names && nameAmong(names, text)) ?? text;
}

function nameAmong(names: readonly string[], text: string): string | undefined {
	const wanted = text.toLowerCase();
	return names.find((name) => name.toLowerCase() === wanted);
}

export function numberProblem({ minimum, maximum }: MemberSchema, value: number): string | undefined {
	const isWithin = value >= (minimum ?? value) && value <= (maximum ?? value);
	return isWithin ? undefined : `expected ${minimum} to ${maximum}`;
}

export function listProblem(schema: MemberSchema, length: number): string | undefined {
	const { maxItems = length } = schema;
	return length > maxItems ? `expected at most ${maxItems} ${notesOf(schema).things ?? 'items'}` : undefined;
}
