// Describes the parts of an OpenAPI document that tests read, and checks values by its schemas.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Parameter {
	readonly name: string;
	readonly in: 'path' | 'query' | 'header';
	readonly description?: string;
	readonly required?: boolean;
	readonly schema?: Readonly<Record<string, unknown>>;
	readonly example?: unknown;
}

export interface Content {
	readonly [type: string]: {
		readonly schema?: object;
		readonly example?: unknown;
		readonly examples?: Record<string, { value: unknown }>;
	};
}

export interface DocumentedResponse {
	readonly $ref?: string;
	readonly description?: string;
	readonly headers?: Readonly<Record<string, object>>;
	readonly content?: Content;
}

export interface Operation {
	readonly operationId: string;
	readonly summary?: string;
	readonly description?: string;
	readonly tags?: readonly string[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly required?: boolean; readonly content: Content };
	readonly responses: Record<string, DocumentedResponse>;
	readonly security?: readonly Record<string, readonly string[]>[];
	readonly 'x-permission'?: string;
}

export interface OpenApiDocument {
	readonly openapi: string;
	readonly info: { readonly title: string; readonly version: string; readonly description: string };
	readonly servers?: readonly { readonly url: string }[];
	readonly tags?: readonly { readonly name: string; readonly description: string }[];
	readonly paths: Record<string, Record<string, Operation>>;
	readonly components: Record<string, Record<string, object>>;
}

/** Returns a response, looked up among the components if it is a reference. */
export function resolveResponse(response: DocumentedResponse, document: OpenApiDocument): DocumentedResponse {
	if (response.$ref === undefined) return response;
	return document.components.responses[response.$ref.split('/').at(-1)!] as DocumentedResponse;
}

/** Returns the schema of a value. If a body has a value on each line, this is the schema of one of them. */
export function schemaOfOne(schema: object | undefined): object | undefined {
	return (schema as { readonly contentSchema?: object } | undefined)?.contentSchema ?? schema;
}

/** The id under which the closed copies of the components are found. */
const CLOSED = 'openapi-closed';

export type Checks = (schema: object) => ValidateFunction;

/** Returns a function that compiles schemas of the document, which may refer to its components. */
export function schemaChecks(document: OpenApiDocument): Checks {
	const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
	ajv.addSchema({ $id: 'openapi', components: document.components });
	ajv.addSchema({ $id: CLOSED, components: closed(document.components) });
	const compiled = new WeakMap<object, ValidateFunction>();
	const absolute = (schema: object): object =>
		JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
	return (schema) => {
		const check = compiled.get(schema) ?? ajv.compile(absolute(schema));
		compiled.set(schema, check);
		return check;
	};
}

/** Returns the same schema, except that it refuses members that it does not name. */
export function closed(schema: unknown, isPartOfAll = false): unknown {
	if (Array.isArray(schema)) return schema.map((each) => closed(each, isPartOfAll));
	if (typeof schema !== 'object' || schema === null) return schema;
	const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
		if (['const', 'enum', 'default', 'example', 'examples'].includes(keyword)) return [keyword, value];
		// A reference leads to the closed copy of its component, unless it is a part of an `allOf`: other parts add members to
		// it.
		if (keyword === '$ref' && !isPartOfAll)
			return [keyword, String(value).replace(/^#\/(?=components\/schemas)/, `${CLOSED}#/`)];
		if (keyword !== 'properties') return [keyword, closed(value, keyword === 'allOf')];
		const members = Object.entries(value as object).map(([name, each]) => [name, closed(each)]);
		return [keyword, Object.fromEntries(members)];
	});
	const isOpen = 'properties' in schema && !('additionalProperties' in schema) && !isPartOfAll;
	return { ...(isOpen && { unevaluatedProperties: false }), ...Object.fromEntries(entries) };
}
