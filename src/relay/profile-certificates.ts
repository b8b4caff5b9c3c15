// Checks client certificates and authorities when a profile is saved, and not only when a call needs them (spec §7.4).

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

interface Problem {
	readonly path: readonly PropertyKey[];
	readonly rule: string;
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
		problems.push({ path: ['authorities'], rule: 'expected certificates in PEM, each of which can be read' });
	}
	return problems;
}

function identityProblems(cert: string, key: string, passphrase: string | undefined): Problem[] {
	const at = (name: string, rule: string): Problem => ({ path: ['clientCertificate', name], rule });
	const certificate = readOrUndefined(() => new X509Certificate(cert));
	const privateKey = readOrUndefined((): KeyObject => createPrivateKey({ key, passphrase }));
	const problems: Problem[] = [];
	if (certificate === undefined || !cert.includes(PEM_BEGIN)) {
		problems.push(at('certificate', 'expected a certificate in PEM that can be read'));
	}
	if (privateKey === undefined) {
		const rule = 'expected a private key in PEM that can be read';
		problems.push(at('key', passphrase === undefined ? rule : `${rule} with the passphrase`));
	}
	if (problems.length > 0) return problems;
	if (!certificate!.checkPrivateKey(privateKey!)) return [at('key', 'expected the private key of the certificate')];
	const isUsable = readOrUndefined(() => createSecureContext({ cert, key, passphrase })) !== undefined;
	return isUsable
		? []
		: [at('certificate', 'expected a certificate that TLS can use: its chain or its key is refused')];
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
