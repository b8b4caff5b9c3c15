// A client made of nothing but the OpenAPI document: it knows no path, parameter or answer that stands not there. A test
// that calls through it fails when the document and the service say different things.

import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

interface Parameter {
	readonly name: string;
	readonly in: 'path' | 'query' | 'header';
	readonly required?: boolean;
	readonly schema?: object;
}
interface Content {
	readonly [type: string]: {
		readonly schema?: object;
		readonly example?: unknown;
		readonly examples?: Record<string, { value: unknown }>;
	};
}
export interface DocumentedResponse {
	readonly $ref?: string;
	readonly description?: string;
	readonly content?: Content;
}
export interface Operation {
	readonly operationId: string;
	readonly summary?: string;
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly required?: boolean; readonly content: Content };
	readonly responses: Record<string, DocumentedResponse>;
	readonly security?: readonly Record<string, readonly string[]>[];
}
export interface OpenApiDocument {
	readonly openapi: string;
	readonly info: { readonly title: string; readonly version: string; readonly description: string };
	readonly servers?: readonly { readonly url: string }[];
	readonly paths: Record<string, Record<string, Operation>>;
	readonly components: Record<string, Record<string, object>>;
}

export interface ClientCall {
	readonly path?: Record<string, string>;
	readonly query?: Record<string, string | number | boolean>;
	readonly headers?: Record<string, string>;
	/** Sent as JSON. */
	readonly body?: unknown;
}

export interface OpenApiClient {
	readonly document: OpenApiDocument;
	/** Calls `GET /path/{as}/documented`. Fails when the call or its answer is not as documented. */
	call(operation: string, call?: ClientCall): Promise<LightMyRequestResponse>;
}

/** Reads /openapi.json of the app and calls with the credential headers given. */
export async function openApiClient(app: FastifyInstance, credential: Record<string, string>): Promise<OpenApiClient> {
	const document = (await app.inject({ method: 'GET', url: '/openapi.json' })).json() as OpenApiDocument;
	const checks = schemaChecks(document);
	return {
		document,
		async call(name, { path = {}, query = {}, headers = {}, body } = {}) {
			const [method, template] = name.split(' ');
			const operation = document.paths[template]?.[method.toLowerCase()];
			assert(operation, `${name} is not documented`);
			checkParameters(operation, { path, query, headers }, checks);
			if (body !== undefined) checkContent(operation.requestBody?.content, 'application/json', body, checks);
			const url = template.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(path[parameter]));
			const search = new URLSearchParams(
				Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
			);
			const response = await app.inject({
				method: method as 'GET',
				url: search.size > 0 ? `${url}?${search}` : url,
				headers: { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
				payload: body === undefined ? undefined : JSON.stringify(body),
			});
			checkResponse(operation, response, document, checks);
			return response;
		},
	};
}

type Checks = (schema: object) => ValidateFunction;

/** Compiles schemas of the document with its components at hand. */
export function schemaChecks(document: OpenApiDocument): Checks {
	const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
	ajv.addSchema({ $id: 'openapi', components: document.components });
	const absolute = (schema: object): object =>
		JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
	return (schema) => ajv.compile(absolute(schema));
}

function checkParameters(
	operation: Operation,
	call: Required<Pick<ClientCall, 'path' | 'query' | 'headers'>>,
	checks: Checks,
) {
	const declared = operation.parameters ?? [];
	for (const [place, given] of [
		['path', call.path],
		['query', call.query],
	] as const) {
		for (const [name, value] of Object.entries(given)) {
			const parameter = declared.find((each) => each.in === place && each.name === name);
			assert(parameter, `${operation.operationId}: ${place} parameter ${name} is not documented`);
			const check = checks(parameter.schema ?? {});
			assert(check(value), `${name}: ${JSON.stringify(check.errors)}`);
		}
	}
	for (const { name, in: place, required } of declared) {
		if (!required || place === 'header') continue;
		assert(name in (place === 'path' ? call.path : call.query), `${operation.operationId}: ${name} is required`);
	}
}

function checkResponse(
	operation: Operation,
	response: LightMyRequestResponse,
	document: OpenApiDocument,
	checks: Checks,
) {
	const { statusCode, body } = response;
	const found = operation.responses[statusCode] ?? operation.responses.default;
	assert(found, `${operation.operationId}: status ${statusCode} is not documented`);
	const documented = resolveResponse(found, document);
	if (body === '') return;
	const type = String(response.headers['content-type']).split(';')[0];
	checkContent(documented.content, type, /json$/.test(type) ? JSON.parse(body) : body, checks);
}

/** A response, looked up among the components when it is a reference. */
export function resolveResponse(response: DocumentedResponse, document: OpenApiDocument): DocumentedResponse {
	if (response.$ref === undefined) return response;
	return document.components.responses[response.$ref.split('/').at(-1)!] as DocumentedResponse;
}

function checkContent(content: Content | undefined, type: string, value: unknown, checks: Checks) {
	const media = content?.[type];
	assert(media, `a body of type ${type} is not documented; ${Object.keys(content ?? {}).join(', ') || 'none'} is`);
	if (!media.schema || !/json$/.test(type)) return;
	const check = checks(media.schema);
	assert(check(value), `${type}: ${JSON.stringify(check.errors)}`);
}
