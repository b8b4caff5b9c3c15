// Handles the names of query parameters. Schemas spell them as the specification does, but callers may write them in
// upper or lower case. A caller is warned of parameters that the call does not know.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { badInput, type ServiceError } from '../../../base/errors.ts';
import { CREDENTIAL_PARAMETERS, type Query, REPEATED } from '../access/credentials.ts';
import { clearTextProblem } from './member-rules.ts';
import { findFlag } from './query-values.ts';

type Schemas = Readonly<Record<string, { readonly type?: string }>>;

/** Matches a name that an error may repeat to the caller, because no card number, CVV or key looks like it. */
const SHOWABLE_NAME = /^[A-Za-z][\w.-]{0,31}$/;
const MAX_NAMES = 20;

/**
 * Adds a hook that renames query parameters from lower case to the spelling of the route's schema. A known parameter
 * may occur only once, because it would be unclear which value is meant. An unknown one causes a warning, or an error
 * (a 400) if the header `X-service-Strict` is true.
 */
export function addQueryNames(app: FastifyInstance): void {
	app.addHook('preValidation', (request, reply, done) => {
		const { schema, config } = request.routeOptions;
		// Of a query that is passed on to a third party, no name is meant for this service.
		if (schema?.hide || config.call?.takesAnyQuery) return done();
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

/**
 * @throws ServiceError if a parameter occurs twice, if a number is not written with digits only, or if a text that is
 * stored in clear holds a card number
 */
function namedAsInSchema(given: Query, known: Schemas): Record<string, string> {
	const named: Record<string, string> = {};
	for (const [name, schema] of Object.entries(known)) {
		const key = name.toLowerCase();
		const value = given[key];
		if (given[REPEATED]?.has(key)) throw badInput(name, 'expected only once');
		if (value === undefined) continue;
		// The validator alone would accept `0x10`, `1e2`, `+5` and ` 5` as numbers.
		if (schema.type === 'integer' && !/^\d+$/.test(value))
			throw badInput(name, 'must be a whole number in digits alone');
		const clearProblem = clearTextProblem(schema, value);
		if (clearProblem !== undefined) throw badInput(name, clearProblem);
		named[name] = value;
	}
	return named;
}

/**
 * Returns the names of the unknown parameters as the caller wrote them, each once. Undefined stands for names that an
 * error must not repeat, because they may contain a card number or a key.
 */
function unknownNames({ query, raw }: FastifyRequest, known: Schemas): (string | undefined)[] {
	const names = new Set(Object.keys(known).map((name) => name.toLowerCase()));
	const isUnknown = (key: string) => !names.has(key) && !CREDENTIAL_PARAMETERS.has(key);
	if (!Object.keys(query as Query).some(isUnknown)) return [];
	const written = new URLSearchParams(raw.url!.slice(raw.url!.indexOf('?') + 1));
	const found = new Map<string, string | undefined>();
	for (const name of written.keys()) {
		const key = name.toLowerCase();
		const isShowable = SHOWABLE_NAME.test(name) && !holdsCardNumber(name);
		if (isUnknown(key) && !found.has(key)) found.set(key, isShowable ? name : undefined);
	}
	return [...new Set(found.values())].slice(0, MAX_NAMES);
}

function asWarning(name: string | undefined): string {
	return name === undefined ? 'unknown parameter' : `unknown parameter ${name}`;
}

/** Returns the error about unknown parameters. It names the first one as its field, and the others in its text. */
function unknownParameters([first, ...others]: readonly (string | undefined)[]): ServiceError {
	const nameOf = (name: string | undefined) => name ?? 'query';
	const also = others.map((name) => `; ${nameOf(name)}: unknown parameter`).join('');
	return badInput(nameOf(first), `unknown parameter${also}`);
}

/**
 * Returns whether the caller wants unknown parameters to be errors.
 * @throws ServiceError if the header is neither true nor false
 */
function isStrict({ headers }: FastifyRequest): boolean {
	const given = headers['x-service-strict'];
	return findFlag('X-service-Strict', Array.isArray(given) ? given[0] : given) ?? false;
}
