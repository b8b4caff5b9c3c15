// Generates the description of the interface from the definitions of its calls: /openapi.json, and a page at /docs to
// browse it.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyError, FastifyInstance } from 'fastify';
import { ServiceError } from '../../../base/errors.ts';
import {
	EVENT_NAMES,
	EVENT_TYPES,
	type EventName,
	type EventType,
	exampleData,
} from '../../../base/outbox/event-types.ts';
import { type Call, documentPath } from '../calls/call.ts';
import { named } from '../calls/named-plugin.ts';
import { CREATED } from '../calls/samples.ts';
import { TAGS } from '../calls/tags.ts';
import { addGuide, guideLinks } from '../guide/guide.ts';
import { answerError } from '../negotiation/answer.ts';
import type { HttpSettings } from '../settings.ts';
import { ErrorAnswers, errorTable, JSON_ERRORS_ONLY } from './errors.ts';
import { operationsOf } from './operations.ts';
import { NamedSchemas } from './schemas.ts';
import { SECURITY_SCHEMES } from './security.ts';

/**
 * The content security policy of the page at /docs: the page may load only its own scripts and styles, the document,
 * and small images inside styles.
 */
const PAGE_POLICY = [
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** Adds the routes of /openapi.json, of the page at /docs, and of the guide. */
export async function addOpenApi(
	app: FastifyInstance,
	{ settings }: { settings: Pick<HttpSettings, 'baseUrl'> },
	calls: readonly Call[],
): Promise<void> {
	// The document is generated at the first request, because the base URL is known only once the daemon listens.
	let document: object | undefined;
	const getDocument = () => (document ??= documentOf(calls, settings.baseUrl));
	// The plugin that serves the page at /docs requires the plugin `swagger`, which therefore gets an empty document.
	// The page gets the real document from `transformSpecification` below.
	await app.register(swagger, { mode: 'static', specification: { document: { openapi: '3.1.0' } as never } });
	app.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async (_, reply) =>
		reply.type('application/json; charset=utf-8').send(JSON.stringify(getDocument())),
	);
	addGuide(app, PAGE_POLICY);
	const docs = async (page: FastifyInstance) => {
		// This handler answers a path outside the page's folder as an unknown path. Without it, the plugin that serves
		// the page would answer with an error that looks like a defect of this service.
		page.setErrorHandler((error: FastifyError, request, reply) => {
			if ((error.statusCode ?? 500) >= 500) throw error;
			return answerError(request, reply, new ServiceError('endpoint-not-found', { cause: error }));
		});
		page.addHook('onRoute', (route) => {
			route.config = { ...route.config, isPublic: true };
		});
		await page.register(swaggerUi, {
			routePrefix: '/docs',
			staticCSP: PAGE_POLICY,
			// In `BaseLayout` the page has no bar at its top. In that bar a reader could enter the URL of another
			// document.
			uiConfig: {
				deepLinking: true,
				docExpansion: 'list',
				layout: 'BaseLayout',
				requestInterceptor: askForJson as never,
			},
			transformSpecification: () => pageDocument(getDocument(), settings.baseUrl),
			transformSpecificationClone: false,
			theme: { title: 'Tokendrop' },
		});
	};
	await app.register(named('pages', docs));
}

/**
 * Makes the page at /docs ask for JSON as callers should, because with `text/json`, which is what answers are called,
 * errors come as XML. What the reader chose otherwise stays. The function runs in the page, so it stands alone.
 */
function askForJson(request: { headers: Record<string, string> }) {
	const { headers } = request;
	const name = Object.keys(headers).find((each) => each.toLowerCase() === 'accept') ?? 'accept';
	if (!/xml|csv|ndjson|\*/.test(headers[name] ?? '')) headers[name] = 'application/json';
	return request;
}

function documentOf(calls: readonly Call[], baseUrl: string): object {
	const schemas = new NamedSchemas();
	const errors = new ErrorAnswers(schemas);
	const paths: Record<string, object> = {};
	for (const call of calls) {
		const path = documentPath(call);
		paths[path] = { ...paths[path], ...operationsOf(call, { schemas, errors }) };
	}
	const used = new Set<string>(calls.map(({ tag }) => tag));
	return {
		openapi: '3.1.0',
		...(baseUrl !== '' && { servers: [{ url: baseUrl }] }),
		info: { title: 'Tokendrop', version: '1', description: introduction() },
		components: { securitySchemes: SECURITY_SCHEMES, schemas: schemas.components, responses: errors.components },
		paths,
		webhooks: Object.fromEntries(EVENT_NAMES.map((name) => [name, { post: webhookOf(name) }])),
		tags: Object.entries(TAGS)
			.filter(([name]) => used.has(name))
			.map(([name, description]) => ({ name, description })),
	};
}

/**
 * Returns the OpenAPI document for the page at /docs. Its server is the host from which the page was loaded, so that a
 * reader can make calls even if the public URL is different.
 */
function pageDocument(document: object, baseUrl: string): Record<string, unknown> {
	const { pathname } = new URL(baseUrl || 'http://localhost');
	return { ...document, servers: [{ url: pathname, description: 'This installation.' }] };
}

function introduction(): string {
	return [
		`Exchanges card data for tokens. ${guideLinks()}`,
		'',
		'Query parameters and body members are matched without regard to case. `Accept` is matched value by value, exactly;',
		'without a value that is known, answers are JSON (`text/json`) and errors XML. `X-Request-Id` is on every answer.',
		'',
		'A query parameter that a call does not know is told in the header `X-service-Warnings`; with the request header',
		'`X-service-Strict: true` it is a 400. A wrong method is a 405 that says in `Allow` which there are.',
		'',
		'Have generated clients send `Accept: application/json` and nothing else, and read `text/json` as JSON.',
		'',
		'## Errors',
		'',
		JSON_ERRORS_ONLY,
		'',
		errorTable(),
	].join('\n');
}

const HEADERS = {
	'webhook-id': 'The id of the event, the same at every try.',
	'webhook-timestamp': 'The time of the try, in seconds since 1970.',
	'webhook-signature': 'Signatures over `id.timestamp.body`, separated by blanks (Standard Webhooks 1.0.0).',
};

function eventSchema(name: EventName): object {
	const members: EventType['members'] = EVENT_TYPES[name].members;
	const schemas = Object.entries(members).map(([member, { type, isNullable, description }]) => [
		member,
		{ type: isNullable ? [type, 'null'] : type, description },
	]);
	const required = Object.entries(members).flatMap(([member, { isOptional }]) => (isOptional ? [] : [member]));
	return {
		type: 'object',
		properties: {
			type: { const: name },
			timestamp: { type: 'string', format: 'date-time' },
			data: { type: 'object', properties: Object.fromEntries(schemas), required },
		},
		required: ['type', 'timestamp', 'data'],
	};
}

function webhookOf(name: EventName): object {
	const example = { type: name, timestamp: CREATED, data: exampleData(name) };
	return {
		operationId: `on${name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
		summary: EVENT_TYPES[name].summary,
		parameters: Object.entries(HEADERS).map(([header, description]) => ({
			...{ name: header, in: 'header', required: true, description, schema: { type: 'string' } },
		})),
		requestBody: { required: true, content: { 'application/json': { schema: eventSchema(name), example } } },
		responses: { '2XX': { description: 'Received. Any other answer is a failure, and 410 disables the endpoint.' } },
	};
}
