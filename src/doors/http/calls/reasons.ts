// Lists the reasons for which a call can fail: those that follow from its definition and those that the definition
// names.

import type { Reason } from '../../../base/errors.ts';
import { type Call, documentPath, takesKey } from './call.ts';

/** Any call can fail for these: any caller can send wrong parameters, and any call can meet a defect of ours. */
const ALWAYS: readonly Reason[] = ['bad-input-data', 'system-error'];
/** A call with a credential can also fail for these, because credentials are in the database under keys. */
const WITH_CREDENTIAL: readonly Reason[] = ['row-altered', 'database-unavailable', 'key-store-unavailable'];
/**
 * A call that names a token can also fail for these reasons: the token cannot be used, or it stands for a record of the
 * wrong kind (spec §7.4).
 */
const WITH_TOKEN: readonly Reason[] = ['token-not-accessible', 'uri-not-found'];

/** Returns every reason for which a call can be refused or fail. */
export function reasonsOf(call: Call): ReadonlySet<Reason> {
	const { needs, body, bodyErrors, query, intake, failures = [] } = call;
	const { credential = 'any', permission, anyPermission, isBillable } = needs;
	const hasTokenPath = documentPath(call).includes('{cardToken}');
	const namesToken = hasTokenPath || 'cardUri' in (query?.properties ?? {});
	const isRead = body !== undefined && 'schema' in body && bodyErrors === undefined;
	return new Set<Reason>([
		...ALWAYS,
		...(credential === 'none' ? [] : WITH_CREDENTIAL),
		...(credential === 'any' || credential === 'api-key' ? (['authentication-failed'] as const) : []),
		...(credential === 'wallet-session' ? (['bearer-required', 'origin-not-registered'] as const) : []),
		...(permission || anyPermission ? (['permission-denied'] as const) : []),
		...(isBillable ? (['allowance-exceeded'] as const) : []),
		...(isRead ? (['message-malformed'] as const) : []),
		...(namesToken ? WITH_TOKEN : []),
		// A token in a path must be 32 hexadecimal characters. A path with any other text in its place matches no
		// endpoint.
		...(hasTokenPath ? (['endpoint-not-found'] as const) : []),
		// Another call with the same idempotency key may still be running, and a call waits for it only for a limited time.
		...(takesKey(call) ? (['request-timed-out'] as const) : []),
		...(takesKey(call) && intake === 'stream' ? (['call-repeated'] as const) : []),
		...failures,
	]);
}
