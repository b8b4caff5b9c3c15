// Makes faults of what a schema finds: the sentence of the schema library or of the schema, and the code for pages.

import type { z } from 'zod';
import type { Told } from './errors.ts';
import { type Fault, told } from './failures.ts';

/** Returns what is wrong with a value by its schema. `prefix` begins the path of each member. */
export function faultsOf(error: z.ZodError | undefined, prefix: readonly string[] = []): Fault[] {
	return (error?.issues ?? []).map((issue) => {
		const path = [...prefix, ...issue.path].join('.') || 'options';
		return { path, rule: issue.message, told: toldOfIssue(issue) };
	});
}

export function toldOfIssue(issue: z.core.$ZodIssue): Told {
	switch (issue.code) {
		case 'invalid_type':
			return told('type-expected', { type: issue.expected });
		case 'invalid_value':
			return told('not-one-of', { choices: issue.values.join(', ') });
		case 'too_small':
			return told('too-little', { least: String(issue.minimum) });
		case 'too_big':
			return told('too-many', { most: String(issue.maximum) });
		case 'unrecognized_keys':
			return told('name-unknown', { names: issue.keys.join(', ') });
		default:
			return told('value-malformed');
	}
}
