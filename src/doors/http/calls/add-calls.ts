import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { listFields, refuseAsInput } from '../input/field-problems.ts';
import { Members } from '../input/members.ts';
import { addRawBodies } from '../input/parsers.ts';
import type { RequestBody } from '../input/request-body.ts';
import { addFileBodies } from '../input/streaming-body.ts';
import { answer } from '../negotiation/answer.ts';
import { type Call, methodsOf } from './call.ts';
import { named } from './named-plugin.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		readonly call?: Call;
	}
}

/**
 * Maps each way to read a request body to the function that adds the parsers for it. Parsers apply to all routes of a
 * plugin, so each way gets a plugin of its own.
 */
const INTAKES = { document: () => {}, raw: addRawBodies, stream: addFileBodies } as const;

export async function addCalls(app: FastifyInstance, calls: readonly Call[]): Promise<void> {
	for (const [intake, addParsers] of Object.entries(INTAKES)) {
		const routes = calls.filter((call) => (call.intake ?? 'document') === intake).map(routeOf);
		const plugin = async (scope: FastifyInstance) => {
			addParsers(scope);
			for (const route of routes) scope.route(route);
		};
		await app.register(named(`calls ${intake}`, plugin));
	}
}

function routeOf(call: Call): RouteOptions {
	const { path, params, query, body, bodyErrors, compress, before, returns } = call;
	const methods = methodsOf(call);
	const readBody =
		body !== undefined && 'schema' in body ? (given: RequestBody | undefined) => Members.of(given, body) : noBody;
	const handle = (request: FastifyRequest, reply: FastifyReply) =>
		call.handler(request, reply, () => readBody(request.body as RequestBody | undefined));
	return {
		method: [...methods],
		url: path,
		// If a call lists several methods, HEAD is among them, so Fastify need not add it.
		...(methods.length > 1 && { exposeHeadRoute: false }),
		config: { call, isPublic: call.needs.credential === 'none', isStreamed: call.intake === 'stream' },
		schema: { ...(params && { params }), ...(query && { querystring: query }) },
		...(compress && { compress }),
		...(bodyErrors && { errorHandler: bodyErrors === 'listed' ? listFields : refuseAsInput }),
		...(before && { onRequest: async (request: FastifyRequest) => before(request) }),
		handler: returns
			? async (request, reply) => {
					reply.code(returns.status ?? 200);
					const value = await handle(request, reply);
					return value === undefined ? reply.send() : answer(request, reply, value, returns);
				}
			: handle,
	};
}

function noBody(): never {
	throw new Error('internal error: a call reads a body that its definition does not have');
}
