// Calls key services over HTTP. Their answers to failures are told to people in one line, and answers that may hold a key never are.

import { ServiceError } from '../../errors.ts';
import type { OutboundClient } from '../../outbound/http-client.ts';
import { readJson } from '../../read-json.ts';
import { RootKeyAwayError, RootKeyError } from '../root-key.ts';
import { ATTEMPT_MS } from './insist.ts';

const MOST_CALLS = 20;
const MAX_ANSWER_BYTES = 65_536;
const MAX_SAID = 200;

export interface ServiceCall {
	readonly method: 'GET' | 'POST' | 'PUT';
	readonly url: URL;
	/** The headers as flat pairs. */
	readonly headers: readonly string[];
	readonly body?: string;
}

export interface ServiceReply {
	readonly status: number;
	/** The answer as text, for the few that are no JSON. */
	readonly text: string;
	/** The answer as JSON; an empty object if it is none. */
	readonly json: Readonly<Record<string, unknown>>;
}

export type ServiceClient = ReturnType<typeof serviceClient>;

/** Calls one key service. `description` names it in errors. */
export function serviceClient(description: string, authorities?: string) {
	const tls = authorities === undefined ? undefined : { authorities };
	let loading: Promise<OutboundClient> | undefined;
	return {
		/**
		 * Calls the service once.
		 * @throws RootKeyAwayError if there is no answer
		 */
		async call({ method, url, headers, body }: ServiceCall): Promise<ServiceReply> {
			// The client is loaded with the first call, because most installations have no key service.
			loading ??= import('../../outbound/http-client.ts').then(({ openOutboundClient }) =>
				// The operator names the service, so it may have a private address.
				openOutboundClient({ allowPrivate: true, maxInFlight: MOST_CALLS }),
			);
			const client = await loading;
			try {
				const { status, body: answer } = await client.call({
					...{ method, url, tls, headers },
					body: body === undefined ? null : Buffer.from(body),
					deadlineAt: performance.now() + ATTEMPT_MS,
					maxAnswerBytes: MAX_ANSWER_BYTES,
				});
				const text = answer.toString('utf8');
				answer.fill(0);
				return { status, text, json: objectOf(text) };
			} catch (error) {
				throw failureOf(error, description);
			}
		},
		async close(): Promise<void> {
			await (await loading)?.close();
		},
	};
}

function failureOf(error: unknown, description: string): unknown {
	if (!(error instanceof ServiceError)) return error;
	const { reason, said } = error;
	const why = said.problem ?? said.moreInfo ?? `no answer within ${ATTEMPT_MS / 1000} s`;
	if (reason === 'bad-input-data') return new RootKeyError(`${description}: it cannot be called: ${why}`);
	const todo = 'Bring the service back, or the way to it';
	return new RootKeyAwayError(`${description}: it cannot be reached: ${why}. ${todo}`, { cause: error.cause });
}

/** Returns what a service said about a failure, in one line of limited length. */
export function saidBy(text: unknown): string {
	if (typeof text !== 'string') return '';
	return text
		.replace(/[^\x20-\x7e]+/g, ' ')
		.trim()
		.slice(0, MAX_SAID);
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
	const value = readJson(text);
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * Reads bytes that a service answers in base64.
 * @throws RootKeyError if there are none; the answer itself is never shown
 */
export function bytesOf(value: unknown, description: string): Buffer {
	const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.alloc(0);
	if (bytes.length === 0) throw new RootKeyError(`${description}: it answered something else than a key`);
	return bytes;
}
