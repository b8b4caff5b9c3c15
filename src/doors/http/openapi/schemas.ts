import { notesOf } from '../input/schema-notes.ts';

const ROOT = '#/components/schemas/';

/**
 * Collects the schemas that have a name. The document lists each of them once among its components and refers to it
 * from everywhere else, so that generated clients have types for them.
 */
export class NamedSchemas {
	readonly #components = new Map<string, object>();

	/** Returns a schema for the document, with a reference in place of every schema that has a name. */
	refer(schema: unknown): unknown {
		if (typeof schema !== 'object' || schema === null) return schema;
		const { name, shownAs } = notesOf(schema);
		if (shownAs !== undefined) return { ...descriptionOf(schema), ...shownAs };
		if (name === undefined) return this.#plain(schema);
		if (!this.#components.has(name)) {
			// The name is added first, so that this schema is listed before those that it contains.
			this.#components.set(name, {});
			this.#components.set(name, this.#plain(schema) as object);
		}
		return { $ref: `${ROOT}${name}` };
	}

	get components(): Readonly<Record<string, object>> {
		return Object.fromEntries(this.#components);
	}

	#plain(schema: object): unknown {
		if (Array.isArray(schema)) return schema.map((each) => this.refer(each));
		const entries = Object.entries(schema).filter(([, value]) => value !== undefined);
		return Object.fromEntries(entries.map(([keyword, value]) => [keyword, this.refer(value)]));
	}
}

function descriptionOf(schema: object): object {
	const { description } = schema as { readonly description?: string };
	return description === undefined ? {} : { description };
}

/** The headers that every answer may have, besides those of its call, for the OpenAPI document. */
export const ALWAYS = {
	'X-Request-Id': { schema: { type: 'string' }, description: 'Names the call in the log and in `GET /api/requests`.' },
	'X-service-Warnings': {
		schema: { type: 'string' },
		description: 'Names query parameters that the call does not know.',
	},
};
