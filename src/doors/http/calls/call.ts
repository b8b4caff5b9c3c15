// Defines what a call over HTTP consists of. The definition of a call is the only place that describes it: its route,
// its checks, its entry in the OpenAPI document and its row in docs/http.md are generated from it.

import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reason } from '../../../base/errors.ts';
import type { Effect } from '../../../people/identity/effects.ts';
import type { Permission } from '../../../people/identity/permissions.ts';
import { takesKey as methodTakesKey } from '../idempotency/takes-key.ts';
import type { Members } from '../input/members.ts';
import { type Content, type DocumentBody, jsonOrXml, type OtherBody, type Shown } from './content.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Lists what a caller needs to make a call. This is checked before anything else of the request is read. */
export interface Needs {
	/** The kind of credential that the call accepts; `any` if this is absent. */
	readonly credential?: 'any' | 'api-key' | 'wallet-session' | 'none';
	readonly permission?: Permission;
	/** The caller must have at least one of these permissions. */
	readonly anyPermission?: readonly Permission[];
	/** True if the call costs one unit of the allowance, unless the service refuses it with a 4xx status or 503. */
	readonly isBillable?: true;
}

/** Describes one successful answer. An answer with status 201 always has a `Location` header in addition. */
export interface Answer {
	readonly description?: string;
	readonly headers?: Readonly<Record<string, object>>;
	readonly content?: Content;
}

export type CallRequest<P, Q> = FastifyRequest & { readonly params: P; readonly query: Q };

/** What the definition of a call says beside its method and path, its tag and what it needs. */
export interface CallContent<P extends TSchema, Q extends TSchema, B extends TSchema> {
	/**
	 * The name of the call in generated clients; its summary in camel case unless given. If a call has several methods, the
	 * method is appended to the name.
	 */
	readonly name?: string;
	readonly summary: string;
	readonly description?: string;
	/**
	 * True if the call honours the header `Idempotency-Key`. By default, a call honours it if its method changes
	 * something, unless its body is streamed. A call that streams its body must set this, and claims the key itself.
	 * `refused` means that the header is an error, because each call creates something new that a repetition could not return.
	 */
	readonly isIdempotent?: boolean | 'refused';
	/** True if a third party makes the call, and so chooses the idempotency keys without the account's knowledge. */
	readonly hasKeysOfOthers?: true;
	/**
	 * The effect that the call leaves out for a caller without its permission. A kept answer is then returned only to callers
	 * who may see as much as the first one.
	 */
	readonly withholds?: Effect;
	/** True if the query is passed on unchanged, because none of its parameters are meant for this service. */
	readonly takesAnyQuery?: true;
	/**
	 * The way in which the request body is read: by default it is parsed as JSON or XML, `raw` reads it in one piece,
	 * and `stream` reads a body of any length piece by piece.
	 */
	readonly intake?: 'raw' | 'stream';
	readonly params?: P;
	readonly query?: Q;
	/** The headers that the call reads, for the OpenAPI document. The call itself checks their values. */
	readonly headers?: TObject;
	readonly body?: DocumentBody<B> | OtherBody;
	/**
	 * The way in which errors in the body are answered, if not by the standard error about the first problem: `listed`
	 * names every invalid field at once (spec §7.2.4), and `as-input` answers an unreadable body like any other bad
	 * input (spec §7.4).
	 */
	readonly bodyErrors?: 'listed' | 'as-input';
	/**
	 * What the handler returns, which is sent as JSON or XML with this status, 200 by default, and with headers that it sets.
	 * If it returns undefined, the body is empty.
	 */
	readonly returns?: Shown & Pick<Answer, 'headers'> & { readonly root: string; readonly status?: 200 | 201 | 202 };
	/**
	 * The successful answers by status if they are not one that is returned. The key `default` stands for any status that a
	 * third party may answer. By default there is one without a body.
	 */
	readonly answers?: Readonly<Record<number | 'default', Answer>> | Readonly<Record<number, Answer>>;
	/** The reasons for which the call can fail, beside those that follow from the definition (`reasonsOf`). */
	readonly failures?: readonly Reason[];
	readonly compress?: object;
	/** This function runs after the checks of `needs` and before the body is read. */
	before?(request: FastifyRequest): Promise<void> | void;
	/**
	 * Handles a request: returns what `returns` describes, or sends the answer itself. `readBody` returns the members of a JSON
	 * or XML body.
	 * @throws ServiceError if the call is refused or fails
	 */
	handler(request: CallRequest<Static<P>, Static<Q>>, reply: FastifyReply, readBody: () => Members<Static<B>>): unknown;
}

interface Asked {
	readonly tag: Tag;
	readonly needs: Needs;
}

type AnyContent = CallContent<TSchema, TSchema, TSchema>;

/** Stands for any call, whatever its schemas are. */
export type Call = AnyContent &
	Asked &
	Required<Pick<AnyContent, 'answers' | 'name'>> & {
		readonly method: Method | readonly Method[];
		/** The path in the syntax of the router. */
		readonly path: string;
	};

/** Defines a call. The handler gets the types of parameters and body from the schemas of the definition. */
export function defineCall<P extends TSchema, Q extends TSchema, B extends TSchema>(
	method: Call['method'],
	path: string,
	call: CallContent<P, Q, B> & Asked,
): Call {
	const { returns } = call;
	const answers = {
		[returns?.status ?? 200]: returns ? { headers: returns.headers, content: jsonOrXml(returns) } : {},
	};
	return { method, path, name: camelCased(call.summary), answers, ...call } as unknown as Call;
}

function camelCased(text: string): string {
	return text.toLowerCase().replace(/[^a-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the function that defines calls of one tag that need the same of their callers. */
export function callsAbout(tag: Tag, needs: Needs) {
	return <P extends TSchema, Q extends TSchema, B extends TSchema>(
		method: Call['method'],
		path: string,
		call: CallContent<P, Q, B>,
	): Call => defineCall(method, path, { ...call, tag, needs });
}

export function methodsOf({ method }: Call): readonly Method[] {
	return typeof method === 'string' ? [method] : method;
}

/** The OpenAPI document uses this name for `*`, the last part of a path, which may contain several segments. */
const REST_OF_PATH = 'rest';

/**
 * Returns a path in the form of the OpenAPI document, where a parameter has a name but no pattern, because code
 * generators make identifiers from it.
 */
export function documentPath({ path }: Call): string {
	return path.replace(/\*$/, `:${REST_OF_PATH}`).replace(/:(\w+)(\([^)]*\))?/g, '{$1}');
}

/** Returns whether the call honours the header `Idempotency-Key` with at least one of its methods. */
export function takesKey(call: Call): boolean {
	const keyed = { call, isPublic: call.needs.credential === 'none', isStreamed: call.intake === 'stream' };
	return methodsOf(call).some((method) => methodTakesKey(keyed, method));
}
