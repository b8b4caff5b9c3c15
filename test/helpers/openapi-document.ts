// The parts of an OpenAPI document that tests read, and checks of values by its schemas.

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

/** A response, looked up among the components when it is a reference. */
export function resolveResponse(response: DocumentedResponse, document: OpenApiDocument): DocumentedResponse {
	if (response.$ref === undefined) return response;
	return document.components.responses[response.$ref.split('/').at(-1)!] as DocumentedResponse;
}

/** The schema of a value, where it is one of many lines of text that one. */
export function schemaOfOne(schema: object | undefined): object | undefined {
	return (schema as { readonly contentSchema?: object } | undefined)?.contentSchema ?? schema;
}

/** Where closed twins of the components stand. */
const CLOSED = 'openapi-closed';

export type Checks = (schema: object) => ValidateFunction;

/** Compiles schemas of the document with its components at hand. */
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

/** The same schema with no room for members it does not name. */
export function closed(schema: unknown, isPartOfAll = false): unknown {
	if (Array.isArray(schema)) return schema.map((each) => closed(each, isPartOfAll));
	if (typeof schema !== 'object' || schema === null) return schema;
	const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
		if (['const', 'enum', 'default', 'example', 'examples'].includes(keyword)) return [keyword, value];
		// Of what stands elsewhere the closed twin, unless others add to it.
		if (keyword === '$ref' && !isPartOfAll)
			return [keyword, String(value).replace(/^#\/(?=components\/schemas)/, `${CLOSED}#/`)];
		if (keyword !== 'properties') return [keyword, closed(value, keyword === 'allOf')];
		const members = Object.entries(value as object).map(([name, each]) => [name, closed(each)]);
		return [keyword, Object.fromEntries(members)];
	});
	const isOpen = 'properties' in schema && !('additionalProperties' in schema) && !isPartOfAll;
	return { ...(isOpen && { unevaluatedProperties: false }), ...Object.fromEntries(entries) };
}
