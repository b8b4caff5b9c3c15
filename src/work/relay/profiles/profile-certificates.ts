// Checks client certificates and authorities when a profile is saved, and not only when a call needs them (spec §7.4).

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type Why, why } from '../../../base/failures.ts';
import type { Profile } from './profile.ts';

type ClientCertificate = NonNullable<Profile['clientCertificate']>;

interface Problem {
	readonly path: readonly PropertyKey[];
	readonly rule: Why;
}

/**
 * Returns the problems of the client certificate and the authorities of a profile. Both are given as somebody has
 * written them, so they may be of any type.
 */
export function certificateProblems(clientCertificate: unknown, authorities: unknown): Problem[] {
	const problems: Problem[] = [];
	if (typeof clientCertificate === 'object' && clientCertificate !== null) {
		const { certificate, key, passphrase } = clientCertificate as Record<string, unknown>;
		const secret = typeof passphrase === 'string' ? passphrase : undefined;
		if (typeof certificate === 'string' && typeof key === 'string') {
			problems.push(...identityProblems(certificate, key, secret));
		}
	}
	if (typeof authorities === 'string' && !areCertificates(authorities)) {
		const rule = why('expected certificates in PEM, each of which can be read', 'certificate-malformed');
		problems.push({ path: ['authorities'], rule });
	}
	return problems;
}

/** The most iterations with which the passphrase of a key may be hashed. They take some 50 ms. */
const MAX_ITERATIONS = 100_000;
/** The longest RSA key that signs for us. One of twice the length keeps the process busy for 60 ms at each connection. */
const MAX_RSA_BITS = 4096;
const PBKDF2 = Buffer.from('06092a864886f70d01050c', 'hex');
const LOCKED_KEYS = /-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)-----END/g;

/**
 * Tells whether opening a key with its passphrase could take long. The key itself says how often the passphrase is
 * hashed: some keys would take hours, in a library that cannot be stopped.
 */
function isCostlyKey(pem: string): boolean {
	return [...pem.matchAll(LOCKED_KEYS)].some(([, base64]) => {
		const der = Buffer.from(base64, 'base64');
		const at = der.indexOf(PBKDF2);
		// Behind the name of the algorithm stand, in a sequence, the salt and the number of iterations, each with the kind
		// of value and its length before it. All of them are short.
		const salt = at + PBKDF2.length + 2;
		const count = salt + 2 + (der[salt + 1] ?? 0);
		const bytes = der[count + 1] ?? 0;
		const isPlain = at >= 0 && der[salt] === 0x04 && der[count] === 0x02 && bytes >= 1 && bytes <= 4;
		return !isPlain || der.length < count + 2 + bytes || der.readUIntBE(count + 2, bytes) > MAX_ITERATIONS;
	});
}

/**
 * Returns the client certificate of a profile with its key in clear. A key that stays locked would be opened again for
 * calls, which keeps the process busy; our own seal protects it as well.
 */
export function unlocked({ certificate, key, passphrase }: ClientCertificate): ClientCertificate {
	if (passphrase === undefined) return { certificate, key };
	const opened = createPrivateKey({ key, passphrase }).export({ type: 'pkcs8', format: 'pem' });
	return { certificate, key: opened.toString() };
}

function identityProblems(cert: string, key: string, passphrase: string | undefined): Problem[] {
	const at = (name: string, rule: Why): Problem => ({ path: ['clientCertificate', name], rule });
	if (isCostlyKey(key)) {
		const rule = `expected a key without a passphrase, or one hashed by PBKDF2 at most ${MAX_ITERATIONS} times`;
		return [at('key', why(rule, 'private-key-malformed'))];
	}
	const certificate = readOrUndefined(() => new X509Certificate(cert));
	const privateKey = readOrUndefined((): KeyObject => createPrivateKey({ key, passphrase }));
	const problems: Problem[] = [];
	if (certificate === undefined || !cert.includes(PEM_BEGIN)) {
		const rule = why('expected a certificate in PEM that can be read', 'certificate-malformed');
		problems.push(at('certificate', rule));
	}
	if (privateKey === undefined) {
		const rule = 'expected a private key in PEM that can be read';
		const whole = passphrase === undefined ? rule : `${rule} with the passphrase`;
		problems.push(at('key', why(whole, 'private-key-malformed')));
	}
	if ((privateKey?.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS) {
		problems.push(at('key', why(`expected an RSA key of at most ${MAX_RSA_BITS} bits`, 'private-key-malformed')));
	}
	if (problems.length > 0) return problems;
	if (!certificate!.checkPrivateKey(privateKey!)) {
		return [at('key', why('expected the private key of the certificate', 'private-key-of-other'))];
	}
	const isUsable = readOrUndefined(() => createSecureContext({ cert, key, passphrase })) !== undefined;
	const rule = 'expected a certificate that TLS can use: its chain or its key is refused';
	return isUsable ? [] : [at('certificate', why(rule, 'certificate-malformed'))];
}

const PEM_BEGIN = '-----BEGIN CERTIFICATE-----';
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Tells whether a text holds certificates, possibly with remarks between them, and no other PEM. */
function areCertificates(pem: string): boolean {
	const blocks = pem.match(PEM_CERTIFICATE) ?? [];
	const remarks = pem.replace(PEM_CERTIFICATE, '');
	return (
		blocks.length > 0 &&
		!remarks.includes('-----') &&
		blocks.every((block) => readOrUndefined(() => new X509Certificate(block)) !== undefined)
	);
}

/**
 * Calls `read` and returns its result, or undefined if it fails. The library's error is dropped, because its message
 * may quote the text that cannot be read.
 */
function readOrUndefined<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
