import type { Secret } from '../../base/settings/secret.ts';
import { SEND_TIMEOUT_MS, type TrailTarget } from './forwarder.ts';

/** Posts entries as JSON lines; any status from 200 to 299 means that they were received. */
export function webhookTarget(url: string, token?: Secret): TrailTarget {
	const { origin, pathname } = new URL(url);
	return {
		kind: 'webhook',
		address: origin + pathname,
		async send(entries) {
			const response = await fetch(url, {
				method: 'POST',
				headers: {
					'content-type': 'application/x-ndjson',
					'x-tokendrop-entries': `${entries[0].seq}-${entries.at(-1)!.seq}`,
					...(token && { authorization: `Bearer ${token.reveal()}` }),
				},
				body: entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
				redirect: 'error',
				signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
			});
			await response.body?.cancel();
			if (!response.ok) throw new Error(`the webhook answered with status ${response.status}`);
		},
	};
}
