// Which methods a path has, for whoever asked with another one (RFC 9110 §15.5.6).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { answerError } from '../negotiation/answer.ts';

/** Answers a request that no route took. */
export type StrayAnswer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** A proxy may name the whole address (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:\/\/[^/]*/;

/** Remembers the routes of the app, so it is to be called before any; asked only for requests that none of them took. */
export function rememberMethods(app: FastifyInstance): StrayAnswer {
	const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
	app.addHook('onRoute', ({ url, method }) => {
		let route = routes.get(url);
		if (!route) routes.set(url, (route = { pattern: patternOf(url), methods: new Set() }));
		for (const each of [method].flat()) route.methods.add(each);
	});
	return (request, reply) => {
		const path = pathOf(request.url);
		const fitting = [...routes.values()].filter(({ pattern }) => path !== undefined && pattern.test(path));
		const methods = [...new Set(fitting.flatMap((route) => [...route.methods]))].sort();
		// A route that has the method and did not take the request has found nothing there.
		const isUnknown = methods.length === 0 || methods.includes(request.method);
		if (isUnknown) return answerError(request, reply, new ServiceError('endpoint-not-found'));
		return answerError(request, reply.header('allow', methods.join(', ')), new ServiceError('method-not-allowed'));
	};
}

function pathOf(url: string): string | undefined {
	try {
		return decodeURI(url.replace(ORIGIN, '').split('?', 1)[0]);
	} catch {
		return undefined;
	}
}

/** A path as routes write it: `:name`, `:name(^shape$)` and `*` stand for what differs. */
function patternOf(url: string): RegExp {
	const parts = url.split(/(:\w+(?:\([^)]*\))?|\*)/);
	const source = parts.map((part) => {
		if (part === '*') return '.*';
		if (!part.startsWith(':')) return part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
		const shape = /\(\^?(.*?)\$?\)$/.exec(part)?.[1];
		return shape ?? '[^/]+';
	});
	return new RegExp(`^${source.join('')}$`);
}
