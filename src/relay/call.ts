// One call to a third party: what is sent on, what comes back, and what is seen of it.

import { ServiceError } from '../errors.ts';
import { type HeaderPair, outgoingHeaders } from '../outbound/headers.ts';
import type { OutboundAnswer } from '../outbound/http-client.ts';
import type { TlsIdentity } from '../outbound/tls-identity.ts';
import { findHeader } from './find-header.ts';
import type { Profile } from './profile.ts';
import type { CallKind, RelayRooms, ThirdPartyCall } from './rooms.ts';

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

/**
 * For flows that do what cannot be undone before their call: what is sure to be refused is refused before.
 * @throws ServiceError `too-many-calls`
 */
export function checkRoom({ outbound, maxInFlight }: RelayRooms): void {
	if (outbound.inFlight >= maxInFlight) throw new ServiceError('too-many-calls');
}

/** @throws ServiceError `request-timed-out`, `target-unreachable`, `too-many-calls`, `bad-input-data` */
export async function callTarget(
	{ outbound, maxAnswerBytes, onCalled }: RelayRooms,
	kind: CallKind,
	call: ThirdPartyCall,
	sent: { readonly url: URL; readonly headers: readonly string[]; readonly body: Buffer | null },
): Promise<OutboundAnswer> {
	const { profile, deadlineAt } = call;
	const started = performance.now();
	const tell = (outcome: number | 'timeout' | 'unreachable' | 'refused') =>
		onCalled?.({ kind, host: sent.url.hostname, outcome, seconds: (performance.now() - started) / 1000 });
	try {
		const answer = await outbound.call({
			...sent,
			method: call.method ?? profile.httpMethod,
			deadlineAt,
			maxAnswerBytes,
			tls: identityOf(profile),
		});
		tell(answer.status);
		return answer;
	} catch (error) {
		tell(outcomeOf(error));
		throw error;
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

function outcomeOf(error: unknown): 'timeout' | 'unreachable' | 'refused' {
	if (!(error instanceof ServiceError)) return 'unreachable';
	if (error.reason === 'request-timed-out') return 'timeout';
	return error.reason === 'target-unreachable' ? 'unreachable' : 'refused';
}
