// Finds the methods that a path allows, to tell them to a caller that used another method (RFC 9110 §15.5.6).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../base/errors.ts';
import { answerError } from '../negotiation/answer.ts';
import { pathAsSent } from './path-as-sent.ts';

/** Answers a request that no route matches. */
export type StrayAnswer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Remembers all routes that are added from now on, so this must be called before routes are added. The returned
 * function answers requests that match no route.
 */
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
		// If a route has this method and still did not match, the text of a path parameter was invalid, so the path is
		// unknown.
		const isUnknown = methods.length === 0 || methods.includes(request.method);
		if (isUnknown) return answerError(request, reply, new ServiceError('endpoint-not-found'));
		return answerError(request, reply.header('allow', methods.join(', ')), new ServiceError('method-not-allowed'));
	};
}

function pathOf(url: string): string | undefined {
	try {
		return decodeURI(pathAsSent(url));
	} catch {
		return undefined;
	}
}

/** Returns a pattern that matches the paths of a route: `:name`, `:name(^shape$)` and `*` are variable parts. */
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
