// Lists the parameters of a call for the OpenAPI document. Their schemas say what callers should send; a call may
// accept more, for example the same word in upper case.

import type { TSchema } from '@sinclair/typebox';
import { type Call, documentPath, takesKey } from '../calls/call.ts';
import { notesOf } from '../input/schema-notes.ts';

interface Parameter {
	readonly in: 'path' | 'query' | 'header';
	readonly name: string;
	readonly required: boolean;
	readonly description?: string;
	readonly schema: unknown;
	readonly example?: unknown;
}

const IDEMPOTENCY_KEY: Parameter = {
	in: 'header',
	name: 'Idempotency-Key',
	required: false,
	description: 'The same key with the same request brings the first answer again, for 24 hours.',
	schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const STRICT: Parameter = {
	in: 'header',
	name: 'X-service-Strict',
	required: false,
	description: 'With `true` a query parameter that the call does not know is a 400.',
	schema: { type: 'boolean' },
};

export function parametersOf(call: Call): Parameter[] {
	const names = new Set([...documentPath(call).matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
	return [
		...listed('query', call.query),
		// Several calls may share one schema of path parameters, so only the parameters that occur in this path are listed.
		...listed('path', call.params).filter(({ name }) => names.has(name)),
		...listed('header', call.headers),
		...(takesKey(call) ? [IDEMPOTENCY_KEY] : []),
		...(call.takesAnyQuery ? [] : [STRICT]),
	];
}

function listed(place: Parameter['in'], schema: TSchema | undefined): Parameter[] {
	const { properties = {}, required = [] } = (schema ?? {}) as {
		readonly properties?: Readonly<Record<string, TSchema>>;
		readonly required?: readonly string[];
	};
	return Object.entries(properties).map(([name, property]) => {
		const { description, ...checked } = property;
		const { shownAs = checked, isRequired, example } = notesOf(property);
		return {
			in: place,
			name: name === '*' ? 'rest' : name,
			required: place === 'path' || required.includes(name) || isRequired === true,
			...(description !== undefined && { description }),
			schema: shownAs,
			...(example !== undefined && { example }),
		};
	});
}
