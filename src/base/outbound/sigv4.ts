// Signs calls to services that know Amazon's signature version 4: S3 and what is compatible with it, and others of AWS.

import { createHash, createHmac } from 'node:crypto';
import type { Secret } from '../settings/secret.ts';
import type { HeaderPair } from './headers.ts';

/** Says that the body is not part of the signature. Only TLS then keeps others from changing it on the way. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

export interface SigningKey {
	readonly accessKeyId: string;
	readonly secretKey: Secret;
	readonly region: string;
	/** The service as the signature names it, for example `s3` or `kms`. */
	readonly service: string;
}

export interface UnsignedCall {
	readonly method: string;
	/** The URL of the call. Its path and its query must be encoded as `encodeStrictly` does. */
	readonly url: URL;
	/** All headers that are sent, without those that this function and the HTTP client add. */
	readonly headers: readonly HeaderPair[];
	/** The hexadecimal SHA-256 of the body, or `UNSIGNED_PAYLOAD`. */
	readonly payload: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns the headers of a call with its signature, as flat pairs. They hold for some minutes around `at`. */
export function signV4(call: UnsignedCall, key: SigningKey, at: Date): string[] {
	const { method, url, payload } = call;
	const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
	const day = time.slice(0, 8);
	const sent: HeaderPair[] = [...call.headers, ['x-amz-date', time]];
	if (key.service === 's3') sent.push(['x-amz-content-sha256', payload]);
	const signed = [...sent, ['host', url.host] as const]
		.map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
		.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
	const names = signed.map(([name]) => name).join(';');
	// S3 signs the path as it is sent; all other services encode it a second time.
	const path = key.service === 's3' ? url.pathname : url.pathname.split('/').map(encodeStrictly).join('/');
	const query = url.search.slice(1).split('&').filter(Boolean);
	const request = [
		method,
		path,
		query
			.map((pair) => (pair.includes('=') ? pair : `${pair}=`))
			.sort(byNameThenValue)
			.join('&'),
		...signed.map(([name, value]) => `${name}:${value}`),
		'',
		names,
		payload,
	].join('\n');
	const scope = `${day}/${key.region}/${key.service}/aws4_request`;
	const digest = createHash('sha256').update(request).digest('hex');
	const parts = [day, key.region, key.service, 'aws4_request'];
	const secret = parts.reduce<Buffer>((last, part) => hmac(last, part), Buffer.from(`AWS4${key.secretKey.reveal()}`));
	const signature = hmac(secret, [ALGORITHM, time, scope, digest].join('\n')).toString('hex');
	const credential = `${key.accessKeyId}/${scope}`;
	sent.push(['authorization', `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`]);
	return sent.flat();
}

/** Encodes a text for a path or a query: every byte but letters, digits, `-`, `.`, `_` and `~`. */
export function encodeStrictly(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Compares encoded `name=value` pairs. The sign `=` is not part of the order: `a=1` comes before `a-b=1`. */
function byNameThenValue(one: string, other: string): number {
	const [a, b] = [one.split('='), other.split('=')];
	const at = a[0] === b[0] ? 1 : 0;
	return a[at] < b[at] ? -1 : Number(a[at] > b[at]);
}

function hmac(key: Buffer, text: string): Buffer {
	return createHmac('sha256', key).update(text).digest();
}
