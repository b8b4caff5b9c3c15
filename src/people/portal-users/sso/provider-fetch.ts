// Carries the calls to an OpenID provider over the checked outbound client, so that they obey the same rules as every
// other call to a third party: no redirect, no proxy, and no address that was not checked.

import type { CustomFetch } from 'openid-client';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';

/** A provider that takes longer than this is treated as unreachable. */
const DEADLINE_MS = 10_000;
/** Metadata and key sets of large providers are some ten kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/** A `Response` with one of these statuses may not have a body. */
const WITHOUT_BODY = [204, 205, 304];

/** Returns the function that `openid-client` uses in place of `fetch`. */
export function providerFetch(outbound: Pick<OutboundClient, 'call'>): CustomFetch {
	return async (url, { method, headers, body }) => {
		const {
			status,
			headers: answered,
			body: bytes,
		} = await outbound.call({
			url: new URL(url),
			method,
			headers: Object.entries(headers).flat(),
			body: body ? Buffer.from(body.toString()) : null,
			deadlineAt: performance.now() + DEADLINE_MS,
			maxAnswerBytes: MAX_ANSWER_BYTES,
		});
		const pairs = answered.map(([name, value]): [string, string] => [name, value]);
		return new Response(WITHOUT_BODY.includes(status) ? null : new Uint8Array(bytes), { status, headers: pairs });
	};
}
