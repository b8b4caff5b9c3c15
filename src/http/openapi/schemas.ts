import { notesOf } from '../input/schema-notes.ts';

const ROOT = '#/components/schemas/';

/**
 * The schemas with a name. In the document each is listed once among the components and referred to from everywhere
 * else, so that generated clients have types for it.
 */
export class NamedSchemas {
	readonly #components = new Map<string, object>();

	/** Returns the schema for the document, with a reference in place of every named one. */
	refer(schema: unknown): unknown {
		if (typeof schema !== 'object' || schema === null) return schema;
		const { name } = notesOf(schema);
		if (name === undefined) return this.#plain(schema);
		if (!this.#components.has(name)) {
			// Its place comes before those of the schemas in it.
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
