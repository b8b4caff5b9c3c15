// The definition of a call. Everything that is known of a call stands in it once: the route, the checks, the document of
// the interface and the table in docs/http.md are made of it.

import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reason } from '../../errors.ts';
import type { Permission } from '../../identity/permissions.ts';
import type { Members } from '../input/members.ts';
import type { Content, DocumentBody, OtherBody } from './content.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** What a caller needs before anything of the call itself is looked at. */
export interface Needs {
	/** Any credential of an account unless given. */
	readonly credential?: 'any' | 'api-key' | 'wallet-session' | 'none';
	readonly permission?: Permission;
	/** One of these is enough. */
	readonly anyPermission?: readonly Permission[];
	/** The call costs one unit of the allowance unless it ends in a 4xx. */
	readonly isBillable?: true;
}

/** One successful answer. A 201 has a `Location` besides. */
export interface Answer {
	readonly description?: string;
	readonly headers?: Readonly<Record<string, object>>;
	/** Absent for an answer without a body. */
	readonly content?: Content;
}

export type CallRequest<P, Q> = FastifyRequest & { readonly params: P; readonly query: Q };

export interface CallDefinition<P extends TSchema, Q extends TSchema, B extends TSchema> {
	readonly method: Method | readonly Method[];
	/** As the router reads it. */
	readonly path: string;
	/** What generated clients call it; with several methods each is added to the name. */
	readonly name: string;
	readonly summary: string;
	readonly description?: string;
	readonly tag: Tag;
	readonly needs: Needs;
	/**
	 * Whether `Idempotency-Key` counts: by default for every method that changes something. A call that streams its body
	 * says so and claims the key itself. `refused`: what the call makes is new each time, and a key would promise
	 * something else.
	 */
	readonly isIdempotent?: boolean | 'refused';
	/** Whoever calls chooses keys without the account's knowledge. */
	readonly hasKeysOfOthers?: true;
	/** The query is passed on as it came: none of it is ours. */
	readonly takesAnyQuery?: true;
	/** How the body is taken in: parsed as JSON or XML unless given, `raw` in one piece, `stream` at any length. */
	readonly intake?: 'raw' | 'stream';
	readonly params?: P;
	readonly query?: Q;
	/** Headers that the call reads, for the document: their values are the call's to check. */
	readonly headers?: TObject;
	readonly body?: DocumentBody<B> | OtherBody;
	/**
	 * How an invalid body is told, other than by the standard error of the first problem: `listed` names every invalid
	 * field at once (spec §7.2.4); with `as-input` a body that cannot be read is bad input data like any other (spec §7.4).
	 */
	readonly bodyErrors?: 'listed' | 'as-input';
	/** By status; `default` for whatever a third party says. */
	readonly answers: Readonly<Record<number | 'default', Answer>> | Readonly<Record<number, Answer>>;
	/** The reasons for which it can fail besides those that follow from the rest (`reasonsOf`). */
	readonly failures?: readonly Reason[];
	/** Options of the packer of answers. */
	readonly compress?: object;
	/** Runs after the checks of `needs` and before the body is read. */
	before?(request: FastifyRequest): Promise<void> | void;
	/** `readBody` returns the members of a JSON or XML body. @throws ServiceError */
	handler(request: CallRequest<Static<P>, Static<Q>>, reply: FastifyReply, readBody: () => Members<Static<B>>): unknown;
}

/** Any call. */
export type Call = CallDefinition<TSchema, TSchema, TSchema>;

/** Types the handler of a call by the schemas of the call. */
export function defineCall<P extends TSchema, Q extends TSchema, B extends TSchema>(
	call: CallDefinition<P, Q, B>,
): Call {
	return call as unknown as Call;
}

/** An answer without a body. */
export const DONE: Readonly<Record<number, Answer>> = { 200: {} };

export function methodsOf({ method }: Call): readonly Method[] {
	return typeof method === 'string' ? [method] : method;
}

/** What the document calls `*`, the last part of a path, which may hold several. */
const REST_OF_PATH = 'rest';

/** Returns a path as the document writes it: a parameter has only a name, because generators make identifiers of it. */
export function documentPath({ path }: Call): string {
	return path.replace(/\*$/, `:${REST_OF_PATH}`).replace(/:(\w+)(\([^)]*\))?/g, '{$1}');
}

const CHANGES: ReadonlySet<Method> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether the call looks at `Idempotency-Key`. */
export function takesKey({ needs, intake, isIdempotent, ...call }: Call): boolean {
	if (needs.credential === 'none') return false;
	const changes = methodsOf(call as Call).some((method) => CHANGES.has(method));
	return isIdempotent === undefined ? changes && intake !== 'stream' : isIdempotent === true;
}
