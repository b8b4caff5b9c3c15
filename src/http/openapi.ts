// The description of the interface, made of the routes themselves: /openapi.json, and a page to browse it at /docs.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { REQUEST_BODIES } from './openapi-bodies.ts';
import { errorResponses, errorTable, responsesFor, STANDARD_ERROR_SCHEMA } from './openapi-errors.ts';
import type { HttpRooms } from './rooms.ts';

/** Marks that travel from the route to the finished operation. */
const PERMISSION = 'x-permission';
const BILLABLE = 'x-billable';
const PUBLIC = 'x-public';

/** What the page may load, and nothing else: its own scripts and styles, the document, small images inside styles. */
const PAGE_POLICY = [
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

const SECURITY_SCHEMES = {
	apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key', description: 'The API key as it is.' },
	authorization: {
		type: 'apiKey',
		in: 'header',
		name: 'Authorization',
		description: 'The word `APIKEY`, a single space, then the API key.',
	},
	sessionToken: {
		type: 'apiKey',
		in: 'query',
		name: 'sessionToken',
		description: 'From `POST /api/payments/paycard/tempsession`; five minutes, any number of calls.',
	},
	accessToken: {
		type: 'apiKey',
		in: 'query',
		name: 'accessToken',
		description: 'Made by the caller with the certificate of `GET /api`; one call, at most 60 minutes ahead.',
	},
} as const;
const API_KEY = [{ apiKey: [] }, { authorization: [] }];
const ANY_CREDENTIAL = [...API_KEY, { sessionToken: [] }, { accessToken: [] }];

interface Operation {
	parameters?: readonly { readonly in: string; readonly name: string; schema?: object }[];
	requestBody?: object;
	readonly summary?: string;
	operationId?: string;
	responses: Record<string, unknown>;
	readonly [PERMISSION]?: string;
	readonly [BILLABLE]?: boolean;
	readonly [PUBLIC]?: boolean;
}

interface Document {
	servers?: { url: string }[];
	readonly paths: Record<string, Record<string, Operation>>;
}

/** Registers the document; before any route, since it sees only those that come after. */
export async function addOpenApi(app: FastifyInstance, { settings }: HttpRooms): Promise<void> {
	const written = new WeakMap<object, FastifySchema>();
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: { title: 'Tokendrop', version: '1', description: introduction() },
			components: {
				securitySchemes: SECURITY_SCHEMES,
				schemas: { StandardError: STANDARD_ERROR_SCHEMA as never },
				responses: errorResponses() as never,
			},
		},
		transform: ({ schema, url, route }) => ({
			schema: describe(written.get(route) ?? schema ?? {}, route) as FastifySchema,
			url,
		}),
		transformObject: (document) => {
			if (!('openapiObject' in document)) throw new Error('internal error: not an OpenAPI document');
			const finished = document.openapiObject as unknown as Document;
			// Known only once the daemon listens.
			if (settings.baseUrl !== '') finished.servers = [{ url: settings.baseUrl }];
			const names = new Set<string>();
			for (const [path, operations] of Object.entries(finished.paths)) {
				for (const [method, operation] of Object.entries(operations)) {
					operation.requestBody ??= REQUEST_BODIES[`${method.toUpperCase()} ${path}`];
					completeOperation(operation, path, names);
				}
			}
			return document.openapiObject;
		},
	});
	// Bodies are read by the rooms and answers written by `answer`: their schemas are for readers, not for Fastify.
	app.addHook('onRoute', (route) => {
		if (!route.schema?.body && !route.schema?.response) return;
		written.set(route, route.schema);
		const { body: _body, response: _response, ...rest } = route.schema;
		route.schema = rest;
	});
	app.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async (_, reply) =>
		reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
	);
	await app.register(async (page) => {
		page.addHook('onRoute', (route) => {
			route.config = { ...route.config, isPublic: true };
		});
		await page.register(swaggerUi, {
			routePrefix: '/docs',
			staticCSP: PAGE_POLICY,
			uiConfig: { deepLinking: true, docExpansion: 'list' },
			theme: { title: 'Tokendrop' },
		});
	});
}

/** What a route's config says, in the words of the document. */
function describe(schema: FastifySchema, route: RouteOptions): object {
	const { permission, isBillable, isApiKeyOnly, isPublic } = route.config ?? {};
	const needs = [
		permission && `Needs the permission \`${permission}\`.`,
		isApiKeyOnly && 'Takes an API key only.',
		isBillable && 'Costs one unit of the allowance.',
	].filter(Boolean);
	return {
		produces: ['text/json', 'application/xml'],
		consumes: ['application/json', 'application/xml'],
		...schema,
		description: [schema.description, ...needs].filter(Boolean).join('\n\n'),
		security: isPublic ? [] : isApiKeyOnly ? API_KEY : ANY_CREDENTIAL,
		[PERMISSION]: permission,
		[BILLABLE]: isBillable,
		[PUBLIC]: isPublic,
	};
}

/** Adds what every operation has: a name, the shape of tokens in its path, its failures. */
function completeOperation(operation: Operation, path: string, names: Set<string>): void {
	const name = operation.operationId ?? camelCase(operation.summary ?? '');
	// One call with fewer or more parts in its path is told apart by the last of them.
	const last = /.*\{(\w+)\}/.exec(path)?.[1] ?? '';
	operation.operationId = names.has(name) ? `${name}By${last[0]?.toUpperCase()}${last.slice(1)}` : name;
	names.add(operation.operationId);
	// Routes with one handler share their schema; only what stands in this path is a parameter of it.
	operation.parameters = operation.parameters?.filter((each) => each.in !== 'path' || path.includes(`{${each.name}}`));
	const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
	for (const parameter of inPath) {
		if (/token$/i.test(parameter.name)) parameter.schema = { type: 'string', pattern: '^[0-9A-Fa-f]{32}$' };
	}
	const failures = responsesFor({
		isPublic: operation[PUBLIC] === true,
		hasInput: operation.requestBody !== undefined || (operation.parameters?.length ?? 0) > 0,
		hasPathParameters: inPath.length > 0,
	});
	operation.responses = { ...failures, ...operation.responses };
}

function camelCase(text: string): string {
	const words = text
		.replace(/[^A-Za-z0-9 ]/g, ' ')
		.trim()
		.toLowerCase()
		.split(/\s+/);
	return words.map((word, index) => (index === 0 ? word : word[0].toUpperCase() + word.slice(1))).join('');
}

function introduction(): string {
	return [
		'Exchanges card data for tokens. `docs/http.md` shows credentials, formats and first calls.',
		'Query parameters and body members are matched without regard to case. `Accept` is matched value by value, exactly;',
		'without a value that is known, answers are JSON (`text/json`) and errors XML.',
		'`X-Request-Id` is on every answer.',
		'',
		'## Errors',
		'',
		errorTable(),
	].join('\n');
}
