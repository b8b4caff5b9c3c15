// Query parameters by their names. A schema has them as they are written in the specification; callers may write them in
// any case, and are told of what they wrote that no call knows.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import { CREDENTIAL_PARAMETERS, type Query, REPEATED } from '../access/credentials.ts';
import { findFlag } from './query-values.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** The query is passed on as it came: none of it is ours. */
		readonly takesAnyQuery?: boolean;
	}
}

type Schemas = Readonly<Record<string, { readonly type?: string }>>;

/** A name that can be repeated to its caller: no card number, CVV or key looks like it. */
const SHOWABLE_NAME = /^[A-Za-z][\w.-]{0,31}$/;
const MAX_NAMES = 20;

/**
 * Query names come in lower case and leave as the schema of the route has them. What a route knows may stand there once: of
 * two values neither is to win silently. What it does not know is a warning, with `X-service-Strict` a 400.
 */
export function addQueryNames(app: FastifyInstance): void {
	app.addHook('preValidation', (request, reply, done) => {
		const { schema, config } = request.routeOptions;
		if (schema?.hide || config.takesAnyQuery) return done();
		const known = (schema?.querystring as { properties?: Schemas } | undefined)?.properties ?? {};
		try {
			const unknown = unknownNames(request, known);
			if (unknown.length > 0) {
				if (isStrict(request)) throw unknownParameters(unknown);
				reply.header('x-service-warnings', unknown.map(asWarning).join(';;'));
			}
			if (schema?.querystring) request.query = namedAsInSchema(request.query as Query, known);
		} catch (error) {
			return done(error as Error);
		}
		done();
	});
}

/** @throws ServiceError for a name that stands there twice, and for a number that is not written in digits alone */
function namedAsInSchema(given: Query, known: Schemas): Record<string, string> {
	const named: Record<string, string> = {};
	for (const [name, { type }] of Object.entries(known)) {
		const key = name.toLowerCase();
		const value = given[key];
		if (given[REPEATED]?.has(key)) throw problem(name, 'expected only once');
		if (value === undefined) continue;
		// The validator would take `0x10`, `1e2`, `+5` and ` 5` for numbers.
		if (type === 'integer' && !/^\d+$/.test(value)) throw problem(name, 'must be a whole number in digits alone');
		named[name] = value;
	}
	return named;
}

function problem(name: string, expectation: string): ServiceError {
	return new ServiceError('bad-input-data', { field: name, problem: expectation });
}

/** As they were written, once each; undefined stands for a name that is better not repeated. */
function unknownNames({ query, raw }: FastifyRequest, known: Schemas): (string | undefined)[] {
	const names = new Set(Object.keys(known).map((name) => name.toLowerCase()));
	const isUnknown = (key: string) => !names.has(key) && !CREDENTIAL_PARAMETERS.has(key);
	if (!Object.keys(query as Query).some(isUnknown)) return [];
	const written = new URLSearchParams(raw.url!.slice(raw.url!.indexOf('?') + 1));
	const found = new Map<string, string | undefined>();
	for (const name of written.keys()) {
		const key = name.toLowerCase();
		if (isUnknown(key) && !found.has(key)) found.set(key, isShowable(name) ? name : undefined);
	}
	return [...new Set(found.values())].slice(0, MAX_NAMES);
}

function isShowable(name: string): boolean {
	return SHOWABLE_NAME.test(name) && !holdsCardNumber(name);
}

function asWarning(name: string | undefined): string {
	return name === undefined ? 'unknown parameter' : `unknown parameter ${name}`;
}

/** About the first of them; the others follow. */
function unknownParameters([first, ...others]: readonly (string | undefined)[]): ServiceError {
	const nameOf = (name: string | undefined) => name ?? 'query';
	const also = others.map((name) => `; ${nameOf(name)}: unknown parameter`).join('');
	return problem(nameOf(first), `unknown parameter${also}`);
}

/** @throws ServiceError for a value that is neither true nor false */
function isStrict({ headers }: FastifyRequest): boolean {
	const given = headers['x-service-strict'];
	return findFlag('X-service-Strict', Array.isArray(given) ? given[0] : given) ?? false;
}
