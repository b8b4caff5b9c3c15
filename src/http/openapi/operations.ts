// What a route says about itself, and what every operation has, in the words of the document.

import type { FastifySchema, RouteOptions } from 'fastify';
import { writeXml, writeXmlList } from '../negotiation/xml-writer.ts';
import { ANSWER_EXAMPLES, type AnswerExample } from './answers.ts';
import { REQUEST_BODIES } from './bodies.ts';
import { responsesFor } from './errors.ts';
import { headersOf } from './headers.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import { ANY_CREDENTIAL, API_KEY_ONLY, BEARER_ONLY } from './security.ts';

/** Marks that travel from the route to the finished operation. */
const PERMISSION = 'x-permission';
const BILLABLE = 'x-billable';
const PUBLIC = 'x-public';
const BEARER = 'x-bearer';
const IDEMPOTENT = 'x-idempotent';

interface Media {
	readonly schema?: object;
	readonly example?: unknown;
	readonly examples?: object;
}

interface Answer {
	readonly $ref?: string;
	description?: string;
	headers?: Readonly<Record<string, object>>;
	content?: Record<string, Media>;
}

export interface Operation {
	parameters?: Parameter[];
	requestBody?: object;
	readonly summary?: string;
	readonly tags?: readonly string[];
	operationId?: string;
	responses: Record<string, Answer>;
	readonly [PERMISSION]?: string;
	readonly [BILLABLE]?: boolean;
	readonly [PUBLIC]?: boolean;
	readonly [BEARER]?: boolean;
	readonly [IDEMPOTENT]?: boolean;
}

/** What the document calls `*`, the last part of a path, which may hold several. */
export const REST_OF_PATH = 'rest';

/** What a route's config says. */
export function describeRoute(schema: FastifySchema, { config, method }: RouteOptions): FastifySchema {
	const { permission, isBillable, isApiKeyOnly, isBearer, isPublic, isStreamed, isIdempotent } = config ?? {};
	const changes = [method].flat().some((each) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(each));
	const needs = [
		permission && `Needs the permission \`${permission}\`.`,
		isApiKeyOnly && 'Takes an API key only.',
		isBillable && 'Costs one unit of the allowance.',
	].filter(Boolean);
	return {
		produces: ['text/json', 'application/xml'],
		consumes: ['application/json', 'application/xml'],
		// A plain copy: the generator takes members that are undefined for schemas.
		...(JSON.parse(JSON.stringify(schema).replace('"*":', `"${REST_OF_PATH}":`)) as FastifySchema),
		description: [schema.description, ...needs].filter(Boolean).join('\n\n'),
		security: isPublic ? [] : isBearer ? BEARER_ONLY : isApiKeyOnly ? API_KEY_ONLY : ANY_CREDENTIAL,
		[PERMISSION]: permission,
		[BILLABLE]: isBillable,
		[PUBLIC]: isPublic,
		[BEARER]: isBearer,
		[IDEMPOTENT]: !isPublic && (isIdempotent === undefined ? changes && !isStreamed : isIdempotent === true),
	} as FastifySchema;
}

/** Calls that wait for a third party. */
const CALLS_OUT = /\/(relay|capture|booker|inbound)(\/|$)(?<!^\/api\/booker)/;
/** Calls that list the invalid fields of a body (spec §7.2.4). */
const LISTS_FIELDS = new Set([
	'PUT /api/paymentGateway/credentials/{credentialsId}',
	'POST /api/eWalletOperation',
	'POST /api/eWalletOperation/session/tokenize',
	'POST /api/eWalletOperation/validateResults',
]);

interface Place {
	readonly method: string;
	readonly path: string;
	/** Of a route of many methods. */
	readonly isOneOfMany: boolean;
	/** Of the formats there are. */
	readonly filters: readonly string[];
}

/** Adds what every operation has: a name, its body, the shape of tokens in its path, examples, its failures. */
export function completeOperation(given: Operation, place: Place, names: Set<string>): Operation {
	const { method, path, filters } = place;
	// A route of many methods has one operation for all of them.
	const operation = structuredClone(given);
	const call = `${method.toUpperCase()} ${path}`;
	operation.requestBody ??= REQUEST_BODIES[call];
	operation.operationId = uniqueName(operation, place, names);
	operation.parameters = parametersOf(operation.parameters ?? [], {
		...{ call, filters, isIdempotent: operation[IDEMPOTENT] === true },
	});
	const failures = responsesFor({
		isPublic: operation[PUBLIC] === true,
		isBearer: operation[BEARER] === true,
		hasInput: operation.requestBody !== undefined || operation.parameters.length > 0,
		callsOut: CALLS_OUT.test(path),
		listsFields: LISTS_FIELDS.has(call),
		// Whatever holds something else than the call works on is not found (spec §7.4).
		namesSomething: operation.parameters.some(({ in: place, name }) => place === 'path' || name === 'cardUri'),
	});
	for (const [status, answer] of Object.entries(operation.responses)) completeAnswer(answer, `${call} ${status}`);
	operation.responses = { ...failures, ...operation.responses };
	return operation;
}

function uniqueName(
	{ operationId, summary = '' }: Operation,
	{ method, path, isOneOfMany }: Place,
	names: Set<string>,
) {
	const short = operationId ?? camelCase(summary);
	const name = isOneOfMany ? `${short}${path.endsWith(`{${REST_OF_PATH}}`) ? 'Below' : ''}${capital(method)}` : short;
	// One call with fewer or more parts in its path is told apart by the last of them.
	const last = /.*\{(\w+)\}/.exec(path)?.[1] ?? '';
	const unique = names.has(name) ? `${name}By${capital(last)}` : name;
	names.add(unique);
	return unique;
}

function capital(word: string): string {
	return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The same answer is in XML what the writer makes of it; a schema of its JSON would say something else. */
function completeAnswer(answer: Answer, name: string): void {
	if (answer.$ref) return;
	if (answer.description === 'Default Response') {
		answer.description = answer.content ? 'What was asked for.' : 'Done; the body is empty.';
	}
	const headers = headersOf(name);
	if (headers) answer.headers = headers;
	if (!answer.content) return;
	const example = ANSWER_EXAMPLES[name];
	// New objects: types with one schema share theirs.
	answer.content = Object.fromEntries(
		Object.entries(answer.content).map(([type, media]) => [
			type,
			{ ...exampleIn(type, example), ...mediaIn(type, media) },
		]),
	);
}

function mediaIn(type: string, media: Media): Media {
	return type === 'application/xml' ? { ...media, schema: { type: 'string' } } : media;
}

function exampleIn(type: string, shown: AnswerExample | undefined): { example?: unknown } {
	if (!shown) return {};
	const { value, root, items, xmlValue = value, inOtherTypes = {} } = shown;
	if (type in inOtherTypes) return { example: inOtherTypes[type] };
	if (type !== 'application/xml') return { example: value };
	if (root === undefined) return {};
	return { example: Array.isArray(xmlValue) ? writeXmlList(root, xmlValue, items) : writeXml(root, xmlValue, items) };
}

function camelCase(text: string): string {
	const words = text
		.replace(/[^A-Za-z0-9 ]/g, ' ')
		.trim()
		.toLowerCase()
		.split(/\s+/);
	return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
}
