// For which reasons a call can fail: what follows from its definition, and what it lists itself.

import type { Reason } from '../../errors.ts';
import { type Call, documentPath, takesKey } from './call.ts';

/** Any call may be told the wrong parameters. */
const ALWAYS: readonly Reason[] = ['bad-input-data', 'system-error'];
/** Credentials are looked up in the database and opened with keys. */
const WITH_CREDENTIAL: readonly Reason[] = ['row-altered', 'database-unavailable', 'key-store-unavailable'];
/** A token that cannot be used, or that holds something else than the call works on (spec §7.4). */
const WITH_TOKEN: readonly Reason[] = ['token-not-accessible', 'uri-not-found'];

const COMMON: ReadonlySet<Reason> = new Set([
	...ALWAYS,
	...WITH_CREDENTIAL,
	...(['authentication-failed', 'permission-denied', 'allowance-exceeded', 'endpoint-not-found'] as const),
]);

/** Whether whoever knows what the call needs knows of the reason too. */
export function isCommon(reason: Reason): boolean {
	return COMMON.has(reason);
}

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
		...(credential === 'wallet-session' ? (['bearer-required'] as const) : []),
		...(permission || anyPermission ? (['permission-denied'] as const) : []),
		...(isBillable ? (['allowance-exceeded'] as const) : []),
		...(isRead ? (['message-malformed'] as const) : []),
		...(namesToken ? WITH_TOKEN : []),
		// A path token that is not 32 hexadecimal characters matches no endpoint.
		...(hasTokenPath ? (['endpoint-not-found'] as const) : []),
		// Somebody else's call with the key may not come to an end.
		...(takesKey(call) ? (['request-timed-out'] as const) : []),
		...(takesKey(call) && intake === 'stream' ? (['call-repeated'] as const) : []),
		...failures,
	]);
}
