import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpRooms } from './rooms.ts';

/** Writes the line of a request that has been answered. */
export type AccessLog = (
	request: FastifyRequest,
	answered: { readonly route?: string; readonly status: number; readonly elapsedMs: number },
) => void;

/** `:cardToken(^[0-9A-Fa-f]{32}$)` is how a router reads it; who reads logs and figures wants its name. */
const SHAPE_OF_PARAMETER = /\([^)]*\)/g;

/** One line per request: what was called and how it ended, never a path, a query or a body. */
export function openAccessLog({ logger, onAnswered }: Pick<HttpRooms, 'logger' | 'onAnswered'>): AccessLog {
	const names = new Map<string, string>();
	return ({ method, id, ip, principal }, { route: path = 'none', status, elapsedMs }) => {
		let route = names.get(path);
		if (route === undefined) names.set(path, (route = path.replaceAll(SHAPE_OF_PARAMETER, '')));
		const ms = Math.round(elapsedMs);
		logger.info({ requestId: id, method, route, status, ms, address: ip, user: principal?.userId }, 'http request');
		onAnswered?.({ route, method, status, seconds: elapsedMs / 1000 });
	};
}

/** Writes it for whatever Fastify answers, unknown paths and refused logins among it. */
export function addAccessLog(app: FastifyInstance, log: AccessLog): void {
	app.addHook('onResponse', (request, { statusCode: status, elapsedTime: elapsedMs }, done) => {
		log(request, { route: request.routeOptions.url, status, elapsedMs });
		done();
	});
}
