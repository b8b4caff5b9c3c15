// Signs calls as Standard Webhooks 1.0.0 says: over the id, the time of the try and the body, divided by dots.

import {
	createHmac,
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type KeyObject,
	randomBytes,
	sign,
} from 'node:crypto';

/** `v1`: HMAC-SHA256 with a secret that both sides have. `v1a`: Ed25519, of which the receiver has only the public key. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type SignatureKind = (typeof SIGNATURES)[number];

/** What a call carries beside its body. */
export interface SignedHeaders {
	readonly 'webhook-id': string;
	readonly 'webhook-timestamp': string;
	readonly 'webhook-signature': string;
}

const SECRET_BYTES = 32;
const SYMMETRIC = 'whsec_';
const PRIVATE = 'whsk_';
const PUBLIC = 'whpk_';
/** The bytes before the key itself in the encoding of an Ed25519 private key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** Makes a secret of a kind, as a text whose beginning says what it is. */
export function makeSecret(kind: SignatureKind): string {
	if (kind === 'v1') return SYMMETRIC + randomBytes(SECRET_BYTES).toString('base64');
	const { privateKey } = generateKeyPairSync('ed25519');
	return PRIVATE + lastBytes(privateKey, 'pkcs8').toString('base64');
}

/** Returns what the receiver has to know: the secret itself, or the public key. */
export function receiverSecret(secret: string): string {
	if (kindOf(secret) === 'v1') return secret;
	return PUBLIC + lastBytes(createPublicKey(privateKeyOf(secret)), 'spki').toString('base64');
}

export function kindOf(secret: string): SignatureKind {
	return secret.startsWith(PRIVATE) ? 'v1a' : 'v1';
}

export function signedHeaders(
	secrets: readonly string[],
	{ id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
): SignedHeaders {
	const timestamp = String(Math.floor(atMs / 1000));
	const signed = Buffer.from(`${id}.${timestamp}.${body}`);
	return {
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': secrets.map((secret) => signatureOf(secret, signed)).join(' '),
	};
}

function signatureOf(secret: string, signed: Buffer): string {
	if (kindOf(secret) === 'v1a') return `v1a,${sign(null, signed, privateKeyOf(secret)).toString('base64')}`;
	const key = Buffer.from(secret.slice(SYMMETRIC.length), 'base64');
	return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

function privateKeyOf(secret: string): KeyObject {
	const seed = Buffer.from(secret.slice(PRIVATE.length), 'base64');
	return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

function lastBytes(key: KeyObject, type: 'pkcs8' | 'spki'): Buffer {
	return (key.export({ format: 'der', type: type as 'spki' }) as Buffer).subarray(-KEY_BYTES);
}
