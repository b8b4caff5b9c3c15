// What an access token says (spec §5.3). Decrypting never fails: with implicit rejection bad padding gives random bytes,
// which then read as nothing. Any way to tell bad padding from a bad text would hand out the private key's work (this is
// why Node has to be 24).

import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/** RSA-3072 in hexadecimal, either case. */
export const ACCESS_TOKEN_SHAPE = /^[0-9A-Fa-f]{768}$/;
export const ACCESS_TOKEN_MAX_LIFETIME_MS = 60 * 60_000;

export interface AccessTokenText {
	readonly apiKey: string;
	/** 32 lower-case hexadecimal characters. */
	readonly guid: string;
	readonly expiresAt: number;
}

const TEXT = /^([^#]+)#([0-9A-Fa-f]{32})#([^#]+)$/;
const UTC_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:Z|\+00(?::?00)?)?$/;

/** The first of the keys that makes sense of the token wins; all of them are tried whatever comes out. */
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
		// A number not below the modulus: visible to the caller without us.
		return Buffer.alloc(0);
	}
}

function findText(bytes: Buffer): AccessTokenText | undefined {
	const [, apiKey, guid, expiration] = TEXT.exec(bytes.toString('utf8')) ?? [];
	const expiresAt = expiration === undefined ? undefined : findTime(expiration);
	return expiresAt === undefined ? undefined : { apiKey, guid: guid.toLowerCase(), expiresAt };
}

/** ISO 8601 in UTC; without a zone it is UTC too, and other zones are refused. Parts of a second are dropped. */
function findTime(text: string): number | undefined {
	const [, ...parts] = UTC_TIME.exec(text) ?? [];
	if (parts.length === 0) return undefined;
	const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0));
	const time = Date.UTC(year, month - 1, day, hour, minute, second);
	// `Date.UTC` carries 31 June over into July.
	const isReal = new Date(time).toISOString().startsWith(text.slice(0, 16)) && second < 60;
	return isReal ? time : undefined;
}
