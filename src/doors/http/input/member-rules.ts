// Checks the value of a member against the rules in the schema of the body. This file also defines the error text for
// each broken rule.

import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { type Why, why } from '../../../base/failures.ts';
import { notesOf } from './schema-notes.ts';

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

/** Returns the schema of a member. For an object that may be null, that is the schema of the object. */
export function memberOf(schema: MemberSchema, name: string): MemberSchema {
	const { properties, additionalProperties } = schema;
	const found = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : ANYTHING);
	return found.anyOf?.find((each) => each.properties) ?? found;
}

/** Keeps compiled patterns, so that each one is compiled only once. */
const patterns = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
	let compiled = patterns.get(pattern);
	if (compiled === undefined) patterns.set(pattern, (compiled = new RegExp(pattern)));
	return compiled.test(text);
}

/** Returns why a text may not be stored in clear, if its schema says that it is. */
export function clearTextProblem(schema: object, text: string): string | undefined {
	return notesOf(schema).isClear ? cardNumberProblem(text) : undefined;
}

export function textProblem(schema: MemberSchema, text: string): string | undefined {
	const { maxLength, pattern, enum: names } = schema;
	if (maxLength !== undefined && text.length > maxLength) return `longer than ${maxLength} characters`;
	const { expected = `text like ${pattern}` } = notesOf(schema);
	const clearProblem = clearTextProblem(schema, text);
	if (clearProblem !== undefined) return clearProblem;
	if (pattern !== undefined && !matches(pattern, text)) return `expected ${expected}`;
	if (names !== undefined && nameAmong(names, text) === undefined) return `expected one of ${names.join(', ')}`;
	return undefined;
}

/** Returns a name in the spelling of the schema; callers may write it in upper or lower case. */
export function spelled({ enum: names }: MemberSchema, text: string): string {
	return (names && nameAmong(names, text)) ?? text;
}

function nameAmong(names: readonly string[], text: string): string | undefined {
	const wanted = text.toLowerCase();
	return names.find((name) => name.toLowerCase() === wanted);
}

export function numberProblem({ minimum, maximum }: MemberSchema, value: number): Why | undefined {
	if (value >= (minimum ?? value) && value <= (maximum ?? value)) return undefined;
	return why(`expected ${minimum} to ${maximum}`, 'not-in-range', { from: `${minimum}`, to: `${maximum}` });
}

export function listProblem(schema: MemberSchema, length: number): string | undefined {
	const { maxItems = length } = schema;
	return length > maxItems ? `expected at most ${maxItems} ${notesOf(schema).things ?? 'items'}` : undefined;
}
