// Reads an access token (spec §5.3). Wrong padding in the decrypted token causes no error: with implicit rejection, for
// which Node 24 is required, decryption then returns random bytes, which contain no valid text. If callers could tell
// wrong padding from wrong text, they could use this service to decrypt with its private key.

import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/** Matches the form of an access token: an RSA-3072 block in hexadecimal, in upper or lower case. */
export const ACCESS_TOKEN_SHAPE = /^[0-9A-Fa-f]{768}$/;
export const ACCESS_TOKEN_MAX_LIFETIME_MS = 60 * 60_000;

export interface AccessTokenText {
	readonly apiKey: string;
	/** The unique id of the access token: 32 lower-case hexadecimal characters. */
	readonly guid: string;
	readonly expiresAt: number;
}

const TEXT = /^([^#]+)#([0-9A-Fa-f]{32})#([^#]+)$/;
const UTC_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:Z|\+00(?::?00)?)?$/;

/**
 * Decrypts an access token with every private key, and returns the first valid text. The other keys are tried even
 * after that, so that the time is always the same.
 */
export function decryptAccessToken(token: string, privateKeys: readonly KeyObject[]): AccessTokenText | undefined {
	const ciphertext = Buffer.from(token, 'hex');
	let found: AccessTokenText | undefined;
	for (const key of privateKeys) {
		const text = decrypt(key, ciphertext);
		found ??= findText(text);
		text.fill(0);
	}
	return found;
}

function decrypt(key: KeyObject, ciphertext: Buffer): Buffer {
	try {
		return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, ciphertext);
	} catch {
		// Decryption fails only if the token, read as a number, is not below the modulus of the key. This early return
		// reveals nothing, because callers know the modulus and can compare it themselves.
		return Buffer.alloc(0);
	}
}

function findText(bytes: Buffer): AccessTokenText | undefined {
	const [, apiKey, guid, expiration] = TEXT.exec(bytes.toString('utf8')) ?? [];
	const expiresAt = expiration === undefined ? undefined : findTime(expiration);
	return expiresAt === undefined ? undefined : { apiKey, guid: guid.toLowerCase(), expiresAt };
}

/** Reads a time in ISO 8601, in UTC or without a zone, which means UTC. Fractions of a second are dropped. */
function findTime(text: string): number | undefined {
	const [, ...parts] = UTC_TIME.exec(text) ?? [];
	if (parts.length === 0) return undefined;
	const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0));
	const time = Date.UTC(year, month - 1, day, hour, minute, second);
	// `Date.UTC` turns an impossible date such as 31 June into 1 July, so the result is compared with the text.
	const isReal = new Date(time).toISOString().startsWith(text.slice(0, 16)) && second < 60;
	return isReal ? time : undefined;
}
