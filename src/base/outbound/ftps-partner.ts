import type { Secret } from '../settings/secret.ts';
import { writtenFingerprint } from '../ssh/fingerprint.ts';

/** Describes a third party's FTPS server, and the credentials for it. */
export interface FtpsPartner {
	/** The name or address of the server, in lower case. */
	readonly host: string;
	readonly port: number;
	readonly userName: string;
	readonly password: Secret;
	/**
	 * The fingerprints of certificates, such as `SHA256:…`. The host must show one of these before we send credentials. If
	 * the list is empty, its certificate must be valid for its name, as that of a web page.
	 */
	readonly certificates: readonly string[];
}

const BASE64 = /^SHA256:([A-Za-z0-9+/]{43})=?$/;
const HEX = /^(?:SHA256:|sha256 Fingerprint=)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})$/i;

/**
 * Returns a fingerprint as it is stored: `SHA256:` and 43 characters. It is taken as ssh-keygen writes one, and in
 * hexadecimal as `openssl x509 -fingerprint -sha256` does. Returns undefined if the text is none.
 */
export function findCertificateFingerprint(text: string): string | undefined {
	const given = text.trim();
	const base64 = BASE64.exec(given)?.[1];
	if (base64 !== undefined) return `SHA256:${base64}`;
	const hex = HEX.exec(given)?.[1];
	return hex === undefined ? undefined : writtenFingerprint(Buffer.from(hex.replaceAll(':', ''), 'hex'));
}
