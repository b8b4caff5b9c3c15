import { createHash, createHmac, type Hash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { FastifyRequest, RequestPayload } from 'fastify';
import type { SealingKey } from '../../../base/keys/key-ring.ts';
import { mayCause } from '../../../people/identity/effects.ts';
import { CREDENTIAL_PARAMETERS, parseQuery } from '../access/credentials.ts';

/** Hashes the body of a request while it is read: the parser reads `tap`, and every byte of that goes into `hash`. */
export function hashedPayload(payload: RequestPayload): { readonly tap: RequestPayload; readonly hash: Hash } {
	const hash = createHash('sha256');
	const tap = new Transform({
		transform(chunk: Buffer, _encoding, done) {
			hash.update(chunk);
			(tap as RequestPayload).receivedEncodedLength! += chunk.length;
			done(null, chunk);
		},
	});
	(tap as RequestPayload).receivedEncodedLength = 0;
	payload.on('error', (error) => tap.destroy(error));
	payload.on('close', () => tap.destroy());
	payload.pipe(tap);
	return { tap, hash };
}

/**
 * Hashes the parts of a request that must be the same in a repeated request: method, path, query in any order, tokens
 * in a header, body, and what is withheld from the caller. The hash has a secret key, so that nobody who reads it can test guesses of the content.
 */
export function requestHash(
	key: SealingKey,
	{ method, url, headers, principal, routeOptions }: FastifyRequest,
	bodyHash: string,
): string {
	const at = url.indexOf('?');
	const [path, query] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
	const named = Object.entries(parseQuery(query))
		// A repeated call may have a new access token, so the caller is identified by the account and not by the
		// credential.
		.filter(([name]) => !CREDENTIAL_PARAMETERS.has(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const { withholds } = routeOptions.config.call ?? {};
	const withheld = withholds !== undefined && !mayCause(principal, withholds) ? [withholds] : [];
	return createHmac('sha256', key.secret)
		.update(JSON.stringify(['request', method, path, named, bodyHash, headers['x-service-carduri'], ...withheld]))
		.digest('hex');
}

/** Computes the hash under which an idempotency key is stored, so that nothing a caller chooses is stored. */
export function keyHash(key: SealingKey, idempotencyKey: string): string {
	return createHmac('sha256', key.secret).update(`idempotency key ${idempotencyKey}`).digest('hex');
}
