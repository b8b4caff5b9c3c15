// The app apart from its listener: everything an answer goes through, then the routes, written out.

import { randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { addAccess } from './access.ts';
import { parseQuery } from './credentials.ts';
import { addFailures } from './failures.ts';
import { bodyFormat } from './negotiation.ts';
import { parseJsonBody, parseXmlBody } from './request-body.ts';
import type { HttpRooms } from './rooms.ts';
import { credentialRoutes } from './routes/credentials.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** The body is a stream of any length. */
		readonly isStreamed?: boolean;
	}
}

/** Builds the app; listening, and TLS for it, are the caller's. */
export async function buildApp(rooms: HttpRooms, server: FastifyServerOptions = {}): Promise<FastifyInstance> {
	const { settings, logger } = rooms;
	const app = Fastify({
		...server,
		logger: false,
		genReqId: () => randomUUID(),
		bodyLimit: settings.bodyLimitBytes,
		// Node's own limit would hold for streamed files too; bodies have one of theirs below.
		requestTimeout: 0,
		routerOptions: { querystringParser: parseQuery, maxParamLength: 256 },
		forceCloseConnections: 'idle',
		return503OnClosing: true,
		ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false } },
	});
	addFailures(app, logger);
	app.addHook('onRequest', async (request, reply) => {
		reply.header('x-request-id', request.id);
	});
	await app.register(helmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
	// At any size: clients were told that naming an encoding gets it (spec §4, shapes §11).
	await app.register(compress, {
		threshold: 0,
		customTypes: /./,
		encodings: ['gzip', 'deflate'],
		globalDecompression: false,
	});
	addAccess(app, rooms);
	addBodyTimeout(app, settings.requestTimeoutMs);
	addQueryNames(app);
	addBodies(app);
	addAccessLog(app, rooms);
	await app.register(credentialRoutes(rooms));
	return app;
}

/** A body that dribbles in is cut off, unless the route streams it: then every byte that moves is a sign of life. */
function addBodyTimeout(app: FastifyInstance, timeoutMs: number): void {
	const timers = new WeakMap<object, NodeJS.Timeout>();
	app.addHook('preParsing', async (request) => {
		if (request.routeOptions.config.isStreamed || request.is404) return;
		timers.set(
			request,
			setTimeout(() => request.raw.destroy(), timeoutMs),
		);
	});
	const stop = async (request: object) => clearTimeout(timers.get(request));
	app.addHook('preValidation', stop);
	app.addHook('onResponse', stop);
	app.addHook('onRequestAbort', stop);
}

/** Query names come in lower case; a route's schema has them as they are written in the specification. */
function addQueryNames(app: FastifyInstance): void {
	app.addHook('preValidation', async (request) => {
		const schema = request.routeOptions.schema?.querystring as { properties?: object } | undefined;
		if (!schema?.properties) return;
		const given = request.query as Record<string, string>;
		const named: Record<string, string> = {};
		for (const name of Object.keys(schema.properties)) {
			const value = given[name.toLowerCase()];
			if (value !== undefined) named[name] = value;
		}
		request.query = named;
	});
}

/** Bodies in JSON and XML become a `RequestBody`; other types are refused by Fastify. */
function addBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(/./, { parseAs: 'string' }, async (request: { headers: object }, text: string | Buffer) => {
		const format = bodyFormat((request.headers as Record<string, string>)['content-type']);
		if (text.length === 0) return undefined;
		if (format === 'json') return parseJsonBody(text.toString());
		if (format === 'xml') return parseXmlBody(text.toString());
		throw Object.assign(new Error('unknown media type'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 });
	});
}

/** One line per request: what was called and how it ended, never a query or a body. */
function addAccessLog(app: FastifyInstance, { logger, onAnswered }: HttpRooms): void {
	app.addHook('onResponse', async (request, reply) => {
		const route = request.routeOptions.url ?? 'none';
		const { method, id, ip, principal } = request;
		const status = reply.statusCode;
		const ms = Math.round(reply.elapsedTime);
		logger.info({ requestId: id, method, route, status, ms, address: ip, user: principal?.userId }, 'http request');
		onAnswered?.({ route, method, status, seconds: reply.elapsedTime / 1000 });
	});
}
