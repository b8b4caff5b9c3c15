// A client that knows nothing but the OpenAPI document. The compiler checks calls by the types generated from the document,
// and the client checks them by its schemas. So a test that calls through it fails when the document and the service say
// different things.

import assert from 'node:assert/strict';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Operations } from './generated/api.ts';
import {
	type Checks,
	type Content,
	closed,
	type OpenApiDocument,
	type Operation,
	resolveResponse,
	schemaChecks,
	schemaOfOne,
} from './openapi-document.ts';

export type OperationName = keyof Operations;

/** A part of a call, which may be left out if none of its members is required. */
type Part<Name extends string, Value> =
	Record<never, never> extends Value ? { readonly [name in Name]?: Value } : { readonly [name in Name]: Value };

type Lines<Type, Value> = Type extends `${string}ndjson` ? readonly Value[] : Value;

/** The body of a call: JSON unless `type` says otherwise, and a list if the type has a document on every line. */
type Sent<Request> =
	| {
			[Type in keyof Request]: { readonly type: Type; readonly body: Lines<Type, Request[Type]> };
	  }[keyof Request]
	| ('application/json' extends keyof Request
			? { readonly type?: undefined; readonly body: Request['application/json'] }
			: never);

type RequestOf<Of> = Of extends { readonly request: infer Request }
	? Sent<Request>
	: { readonly type?: undefined; readonly body?: undefined };

/**
 * A call of an operation. `as` is the content type that is wanted and expected; without it that is JSON, or whatever is
 * documented if JSON is not.
 */
export type ClientCall<Name extends OperationName, As extends string = string> = Part<
	'path',
	Operations[Name]['path']
> &
	Part<'query', Operations[Name]['query']> &
	RequestOf<Operations[Name]> & { readonly headers?: Readonly<Record<string, string>>; readonly as?: As };

type Received<Answer, As> = Answer extends undefined
	? undefined
	: As extends keyof Answer
		? Lines<As, Answer[As]>
		: 'text/json' extends keyof Answer
			? Answer['text/json']
			: 'application/json' extends keyof Answer
				? Answer['application/json']
				: { [Type in keyof Answer]: Lines<Type, Answer[Type]> }[keyof Answer];

type Success = 200 | 201 | 202 | 204;

/** One of the documented answers, told apart by `statusCode`. Failures may have no body at all (spec §5.4). */
export type Answer<Name extends OperationName, As extends string = ''> = {
	[Status in keyof Operations[Name]['responses']]: {
		readonly statusCode: Status extends number ? Status : number;
		readonly headers: LightMyRequestResponse['headers'];
		readonly text: string;
		readonly body: Received<Operations[Name]['responses'][Status], As> | (Status extends Success ? never : undefined);
	};
}[keyof Operations[Name]['responses']];

type Rest<Name extends OperationName, As extends string> =
	Record<never, never> extends ClientCall<Name> ? [call?: ClientCall<Name, As>] : [call: ClientCall<Name, As>];

export interface OpenApiClient {
	readonly document: OpenApiDocument;
	/**
	 * Calls an operation by its name, `GET /path/{as}/documented`.
	 * @throws when the call or its answer is not as documented
	 */
	call<Name extends OperationName, As extends string = ''>(
		name: Name,
		...rest: Rest<Name, As>
	): Promise<Answer<Name, As>>;
	/**
	 * Works as `call`.
	 * @throws also when the answer has another status
	 */
	expect<Status extends Answer<Name>['statusCode'], Name extends OperationName, As extends string = ''>(
		status: Status,
		name: Name,
		...rest: Rest<Name, As>
	): Promise<Extract<Answer<Name, As>, { readonly statusCode: Status }>>;
}

interface AnyCall {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly type?: string;
	readonly body?: unknown;
	readonly as?: string;
}

const documents = new WeakMap<FastifyInstance, Promise<{ document: OpenApiDocument; checks: Checks }>>();

async function readDocument(app: FastifyInstance) {
	const document = (await app.inject({ method: 'GET', url: '/openapi.json' })).json() as OpenApiDocument;
	return { document, checks: schemaChecks(document) };
}

/** Reads /openapi.json of the app, and returns a client that sends these headers as its credential. */
export async function openApiClient(app: FastifyInstance, credential: Record<string, string>): Promise<OpenApiClient> {
	if (!documents.has(app)) documents.set(app, readDocument(app));
	const { document, checks } = await documents.get(app)!;
	const call = async (name: string, given: AnyCall = {}) => {
		const [method, template] = name.split(' ');
		const operation = document.paths[template]?.[method.toLowerCase()];
		assert(operation, `${name} is not documented`);
		checkParameters(operation, given, checks);
		const { path = {}, query = {}, headers = {}, type = 'application/json', body, as } = given;
		if (body !== undefined) checkSent(operation.requestBody?.content, type, body, checks);
		const url = template.replace(/\{([^}]+)\}/g, (_, parameter: string) => encodeURIComponent(path[parameter]));
		const search = new URLSearchParams(
			Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
		);
		const accept = as === 'application/xml' ? as : 'application/json';
		const response = await app.inject({
			method: method as 'GET',
			url: search.size > 0 ? `${url}?${search}` : url,
			headers: { accept, ...credential, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
			payload: body === undefined ? undefined : writeBody(type, body),
		});
		const { statusCode, headers: answered, body: text } = response;
		return { statusCode, headers: answered, text, body: readAnswer(operation, response, as, { document, checks }) };
	};
	const expect = async (status: number, name: string, given?: AnyCall) => {
		const answer = await call(name, given);
		assert.equal(answer.statusCode, status, `${name}: ${answer.text}`);
		return answer;
	};
	return { document, call, expect } as unknown as OpenApiClient;
}

/** Returns a client that calls with the API key of an account of `openHttpApp`. */
export function clientOf({ app }: { app: FastifyInstance }, { apiKey }: { apiKey: string }): Promise<OpenApiClient> {
	return openApiClient(app, { 'x-service-api-key': apiKey });
}

function checkParameters({ operationId, parameters = [] }: Operation, call: AnyCall, checks: Checks): void {
	const places = { path: call.path ?? {}, query: call.query ?? {} };
	for (const [place, given] of Object.entries(places)) {
		for (const [name, value] of Object.entries(given)) {
			const parameter = parameters.find((each) => each.in === place && each.name === name);
			assert(parameter, `${operationId}: ${place} parameter ${name} is not documented`);
			const check = checks(parameter.schema ?? {});
			assert(check(value), `${name}: ${JSON.stringify(check.errors)}`);
		}
	}
	for (const { name, in: place, required } of parameters) {
		if (!required || place === 'header') continue;
		assert(name in places[place], `${operationId}: ${name} is required`);
	}
}

function checkSent(content: Content | undefined, type: string, body: unknown, checks: Checks): void {
	const media = content?.[type];
	assert(media, `a body of type ${type} is not documented; ${Object.keys(content ?? {}).join(', ') || 'none'} is`);
	if (!media.schema || !isJson(type)) return;
	for (const each of isLines(type) ? (body as unknown[]) : [body]) {
		const check = checks(schemaOfOne(media.schema)!);
		assert(check(each), `${type}: ${JSON.stringify(check.errors)}`);
	}
}

function writeBody(type: string, body: unknown): string | Buffer {
	if (isLines(type)) return (body as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
	return isJson(type) ? JSON.stringify(body) : (body as string);
}

/** Returns the body, or undefined if there is none, after checking that it is as documented and has no other members. */
function readAnswer(
	operation: Operation,
	{ statusCode, headers, body }: LightMyRequestResponse,
	as: string | undefined,
	{ document, checks }: { document: OpenApiDocument; checks: Checks },
): unknown {
	const { operationId, responses } = operation;
	const found = responses[statusCode] ?? responses[`${String(statusCode)[0]}XX`] ?? responses.default;
	assert(found, `${operationId}: status ${statusCode} is not documented`);
	const { content, headers: shown = {} } = resolveResponse(found, document);
	const named = Object.keys(shown).map((name) => name.toLowerCase());
	for (const name of Object.keys(headers).filter((each) => OF_INTEREST.test(each))) {
		assert(named.includes(name), `${operationId} ${statusCode}: the header ${name} is not documented`);
	}
	if (body === '' && (statusCode >= 400 || !content)) return undefined;
	const type = String(headers['content-type']).split(';')[0];
	const wanted = [as, 'text/json', 'application/json'].find((each) => each && content?.[each]) ?? type;
	assert.equal(type, wanted, `${operationId} ${statusCode}`);
	const media = content?.[type];
	assert(media, `${operationId} ${statusCode}: a body of type ${type} is not documented`);
	if (!isJson(type)) return body;
	const values = isLines(type) ? linesOf(body) : [JSON.parse(body)];
	const schema = closedOnce(schemaOfOne(media.schema) ?? {});
	for (const value of values) {
		const check = checks(schema);
		assert(check(value), `${operationId} ${statusCode} ${type}: ${JSON.stringify(check.errors)}`);
	}
	return isLines(type) ? values : values[0];
}

const closedSchemas = new WeakMap<object, object>();

function closedOnce(schema: object): object {
	const made = closedSchemas.get(schema) ?? (closed(schema) as object);
	closedSchemas.set(schema, made);
	return made;
}

function linesOf(text: string): unknown[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));
}

/** The headers that callers act upon, so that each of them must be documented. */
const OF_INTEREST = /^(location|retry-after|x-service-.*)$/;

const isJson = (type: string) => /json$/.test(type);
const isLines = (type: string) => /ndjson$/.test(type);
