// One call to a third party: what is sent on, what comes back, and what is seen of it.

import { ServiceError } from '../errors.ts';
import { type HeaderPair, outgoingHeaders } from '../outbound/headers.ts';
import type { OutboundAnswer } from '../outbound/http-client.ts';
import type { TlsIdentity } from '../outbound/tls-identity.ts';
import { findHeader } from './find-header.ts';
import type { Profile } from './profile.ts';
import type { CallKind, CallSeen, RelayRooms, ThirdPartyCall } from './rooms.ts';

/** Headers that go to the third party; made before anything else is done, since they can be refused. */
export function headersFor({ profile, headers, body }: ThirdPartyCall, added: readonly HeaderPair[] = []): string[] {
	const ours: HeaderPair[] = [...added];
	// The caller knows what the body is; the profile says so where a caller does not.
	if (profile.contentType !== undefined && body !== null && findHeader(headers, 'content-type') === undefined) {
		ours.push(['content-type', profile.contentType]);
	}
	if (profile.authorization !== undefined) ours.push(['authorization', profile.authorization]);
	return outgoingHeaders(headers, ours);
}

/** A call that may be made: it has its place, and its target has addresses that may be called. */
export interface ReadyCall {
	/** Sends it, once. @throws ServiceError `request-timed-out`, `target-unreachable`, `bad-input-data` */
	send(sent: Sent): Promise<OutboundAnswer>;
	/** Gives the place back where nothing was sent. To be called in any case. */
	release(): void;
}

interface Sent {
	readonly url: URL;
	readonly headers: readonly string[];
	readonly body: Buffer | null;
}

/**
 * For flows that do what cannot be undone before their call: what can be refused without sending is refused here.
 * @throws ServiceError `too-many-calls`, `too-many-calls-of-account`, `bad-input-data`, `target-unreachable`,
 * `request-timed-out`
 */
export async function prepareCall(
	{ outbound, maxAnswerBytes, onCalled }: RelayRooms,
	kind: CallKind,
	call: ThirdPartyCall,
	url: URL,
): Promise<ReadyCall> {
	const { profile, principal, deadlineAt } = call;
	let seconds = 0;
	const tell = (outcome: CallSeen['outcome']) => onCalled?.({ kind, host: url.hostname, outcome, seconds });
	/** What we do between the two parts is no time of the third party's. */
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
		async send(sent) {
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
		release: () => passage.release(),
	};
}

/** @throws ServiceError as `prepareCall` and `send` do */
export async function callTarget(
	rooms: RelayRooms,
	kind: CallKind,
	call: ThirdPartyCall,
	sent: Sent,
): Promise<OutboundAnswer> {
	const ready = await prepareCall(rooms, kind, call, sent.url);
	try {
		return await ready.send(sent);
	} finally {
		ready.release();
	}
}

/** One object for as long as the profile is remembered: connections are found again by it. */
const identities = new WeakMap<Profile, TlsIdentity>();

function identityOf(profile: Profile): TlsIdentity | undefined {
	const { clientCertificate, authorities } = profile;
	if (!clientCertificate && authorities === undefined) return undefined;
	let identity = identities.get(profile);
	if (identity === undefined) identities.set(profile, (identity = { ...clientCertificate, authorities }));
	return identity;
}

/** No connection, no handshake, or refused before either. A timeout says nothing of what was heard. */
function hasNotLeft(error: unknown): boolean {
	return error instanceof ServiceError && error.reason !== 'request-timed-out' && !error.isOutcomeUnknown;
}

function outcomeOf(error: unknown): CallSeen['outcome'] {
	if (!(error instanceof ServiceError)) return 'unreachable';
	if (error.reason === 'request-timed-out') return 'timeout';
	return error.reason === 'target-unreachable' ? 'unreachable' : 'refused';
}
