// Makes one call to a third party: prepares it, sends it, and reports how it ended.

import { ServiceError } from '../../base/errors.ts';
import { type HeaderPair, outgoingHeaders } from '../../base/outbound/headers.ts';
import type { OutboundAnswer, OutboundClient } from '../../base/outbound/http-client.ts';
import type { TlsIdentity } from '../../base/outbound/tls-identity.ts';
import type { Profile } from './profiles/profile.ts';
import { getTarget, type TargetQuestion } from './target.ts';
import type { CallKind, CallSeen, ThirdPartyCall } from './third-party-call.ts';

/** Refuses headers that must not be sent, so it is called before any step that cannot be undone. */
export function headersFor({ profile, headers, body }: ThirdPartyCall, added: readonly HeaderPair[] = []): string[] {
	const ours: HeaderPair[] = [...added];
	// The content type comes from the caller, or else from the profile.
	if (profile.contentType !== undefined && body !== null && findHeader(headers, 'content-type') === undefined) {
		ours.push(['content-type', profile.contentType]);
	}
	if (profile.authorization !== undefined) ours.push(['authorization', profile.authorization]);
	return outgoingHeaders(headers, ours);
}

interface Sent {
	readonly url: URL;
	readonly headers: readonly string[];
	readonly body: Buffer | null;
}

export type TargetCalls = ReturnType<typeof openTargetCalls>;

export interface TargetCallsOptions {
	readonly outbound: OutboundClient;
	readonly environment: TargetQuestion['environment'];
	readonly maxAnswerBytes: number;
	/** This function is called at the end of every call to a target, so that metrics count the call. */
	readonly onCalled?: (seen: CallSeen) => void;
}

export function openTargetCalls(options: TargetCallsOptions) {
	/**
	 * Prepares a call without sending it. Everything that can be refused before sending is refused now, so that the caller
	 * can then do what cannot be undone.
	 * @throws ServiceError `too-many-calls`, `too-many-calls-of-account`, `bad-input-data`, `target-unreachable`,
	 * `request-timed-out`
	 */
	const prepare = (kind: CallKind, call: ThirdPartyCall, url: URL) => prepareCall(options, kind, call, url);
	return {
		/** @throws ServiceError `bad-input-data` if the call must not go there */
		urlOf: (question: Omit<TargetQuestion, 'environment'>) =>
			getTarget({ ...question, environment: options.environment }),
		prepare,
		/**
		 * Prepares a call and sends it.
		 * @throws ServiceError as `prepare` and `send` do
		 */
		async call(kind: CallKind, call: ThirdPartyCall, sent: Sent): Promise<OutboundAnswer> {
			const ready = await prepare(kind, call, sent.url);
			try {
				return await ready.send(sent);
			} finally {
				ready.release();
			}
		},
	};
}

/** Describes a call that is ready to be sent: it has its slot, and its target's addresses were checked. */
export type ReadyCall = Awaited<ReturnType<typeof prepareCall>>;

async function prepareCall(
	{ outbound, maxAnswerBytes, onCalled }: TargetCallsOptions,
	kind: CallKind,
	call: ThirdPartyCall,
	url: URL,
) {
	const { profile, principal, deadlineAt } = call;
	let seconds = 0;
	const tell = (outcome: CallSeen['outcome']) => onCalled?.({ kind, host: url.hostname, outcome, seconds });
	/**
	 * Adds the time of one step to `seconds`. The time between preparing and sending is left out, because the third party
	 * does not cause it.
	 */
	const timed = async <Result>(part: Promise<Result>): Promise<Result> => {
		const started = performance.now();
		const stop = () => (seconds += (performance.now() - started) / 1000);
		try {
			const result = await part;
			stop();
			return result;
		} catch (error) {
			stop();
			tell(outcomeOf(error));
			throw error;
		}
	};
	const passage = await timed(
		outbound.prepare({ url, tls: identityOf(profile), deadlineAt, account: principal.ownerId }),
	);
	return {
		/**
		 * Sends the call, once.
		 * @throws ServiceError `request-timed-out`, `target-unreachable`, `bad-input-data`
		 */
		async send(sent: Sent): Promise<OutboundAnswer> {
			const method = call.method ?? profile.httpMethod;
			await call.beforeSending?.();
			const sending = timed(passage.send({ ...sent, method, maxAnswerBytes }));
			const answer = await sending.catch((error: unknown) => {
				if (hasNotLeft(error)) call.notSent?.();
				throw error;
			});
			tell(answer.status);
			return answer;
		},
		/** Releases the slot if nothing was sent. Call it in every case. */
		release: () => passage.release(),
	};
}

/**
 * Holds the TLS identities of profiles. A profile keeps the same object while it is in memory, so that the name by
 * which connections are shared is computed only once.
 */
const identities = new WeakMap<Profile, TlsIdentity>();

function identityOf(profile: Profile): TlsIdentity | undefined {
	const { clientCertificate, authorities } = profile;
	if (!clientCertificate && authorities === undefined) return undefined;
	let identity = identities.get(profile);
	if (identity === undefined) identities.set(profile, (identity = { ...clientCertificate, authorities }));
	return identity;
}

/**
 * Tells whether a call was certainly not sent, because there was no connection or no TLS handshake, because the
 * target refused our client certificate, or because we refused to send the call. After a timeout or a connection that
 * broke it is unknown what the target received.
 */
function hasNotLeft(error: unknown): boolean {
	return error instanceof ServiceError && error.reason !== 'request-timed-out' && !error.isOutcomeUnknown;
}

function outcomeOf(error: unknown): CallSeen['outcome'] {
	if (!(error instanceof ServiceError)) return 'unreachable';
	if (error.reason === 'request-timed-out') return 'timeout';
	return error.reason === 'target-unreachable' ? 'unreachable' : 'refused';
}

/**
 * Returns the value of the first header with the given name.
 * @param headers lists names and values in turn, as they were received
 * @param wanted is the name in lower case
 */
export function findHeader(headers: readonly string[], wanted: string): string | undefined {
	const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === wanted);
	return at === -1 ? undefined : headers[at + 1];
}
