// Describes the interface from the routes themselves: /openapi.json, and a page to browse it at /docs.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyError, FastifyInstance, FastifySchema } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { addGuide, guideLinks } from '../guide/guide.ts';
import { answerError } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import { errorResponses, errorTable, JSON_ERRORS_ONLY } from './errors.ts';
import { completeOperation, describeRoute, type Operation, REST_OF_PATH } from './operations.ts';
import { namedSchemas, withReferences } from './schemas.ts';
import { SECURITY_SCHEMES } from './security.ts';

/** The page may load only this: its own scripts and styles, the document, and small images inside styles. */
const PAGE_POLICY = [
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** The groups of calls, in the order of the page. */
const TAGS: Readonly<Record<string, string>> = {
	credentials: 'Session tokens, and the certificate that access tokens are made with.',
	tokens: 'Cards in, tokens out; what is known about a token, who may use it, and its end.',
	cvv: 'How long a CVV is kept and for whom.',
	'third parties': 'Requests to others, with cards in the place of tokens or the other way round.',
	gateway: 'Payments through a gateway.',
	'card requests': 'Links that ask somebody for a card.',
	forms: 'Pages in which cards are entered and shown.',
	wallet: 'The payments library.',
	files: 'Files of bookings, streamed.',
	jobs: 'Files that are processed on their own, over HTTP or sFTP.',
	'data blocks': 'Sealed texts that are no cards.',
	service: 'What this installation is, and what was called here.',
};

interface Document {
	servers?: { url: string }[];
	tags?: { name: string; description: string }[];
	readonly paths: Record<string, Record<string, Operation>>;
}

/** Registers the document. This must come before any route, because it sees only later ones. */
export async function addOpenApi(app: FastifyInstance, { settings, formats }: HttpRooms): Promise<void> {
	const written = new WeakMap<object, FastifySchema>();
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: { title: 'Tokendrop', version: '1', description: introduction() },
			components: {
				securitySchemes: SECURITY_SCHEMES,
				schemas: namedSchemas() as never,
				responses: errorResponses() as never,
			},
		},
		transform: ({ schema, url, route }) => ({
			schema: describeRoute(written.get(route) ?? schema ?? {}, route),
			// In the document a path parameter has only a name, because generators make identifiers of it.
			url: url.replace(/\*$/, `:${REST_OF_PATH}`),
		}),
		transformObject: (document) => {
			if (!('openapiObject' in document)) throw new Error('internal error: not an OpenAPI document');
			finish(document.openapiObject as unknown as Document, {
				baseUrl: settings.baseUrl,
				filters: [...formats.keys()],
			});
			return document.openapiObject;
		},
	});
	// Bodies are read and answers written by our own code, so their schemas are for readers and not for Fastify.
	app.addHook('onRoute', (route) => {
		if (!route.schema?.body && !route.schema?.response) return;
		written.set(route, route.schema);
		const { body: _body, response: _response, ...rest } = route.schema;
		route.schema = rest;
	});
	app.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async (_, reply) =>
		reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
	);
	addGuide(app, PAGE_POLICY);
	await app.register(async (page) => {
		// A path outside the page's folder is refused here, because the page's own server would answer with an error that
		// looks like a defect.
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
			// The page has no bar that loads documents from elsewhere.
			uiConfig: { deepLinking: true, docExpansion: 'list', layout: 'BaseLayout' },
			transformSpecification: (document) => pageDocument(document, settings.baseUrl),
			transformSpecificationClone: false,
			theme: { title: 'Tokendrop' },
		});
	});
}

/** Completes the facts from the routes. The address is known only once the daemon listens. */
function finish(
	document: Document,
	{ baseUrl, filters }: { readonly baseUrl: string; readonly filters: readonly string[] },
): void {
	if (baseUrl !== '') document.servers = [{ url: baseUrl }];
	const names = new Set<string>();
	const used = new Set<string>();
	for (const [path, operations] of Object.entries(document.paths)) {
		const all = Object.values(operations);
		for (const [method, operation] of Object.entries(operations)) {
			const isOneOfMany = all.filter(({ summary }) => summary === operation.summary).length > 1;
			const complete = completeOperation(operation, { method, path, isOneOfMany, filters }, names);
			operations[method] = withReferences(complete) as Operation;
			for (const tag of operation.tags ?? []) used.add(tag);
		}
	}
	document.tags = Object.entries(TAGS)
		.filter(([name]) => used.has(name))
		.map(([name, description]) => ({ name, description }));
}

/** A reader of the page tries calls at the address where the page came from, whatever the public address is. */
function pageDocument(document: Readonly<Record<string, unknown>>, baseUrl: string): Record<string, unknown> {
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
