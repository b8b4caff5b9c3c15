import 'reflect-metadata';
import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import {
	BasicConstraintsExtension,
	KeyUsageFlags,
	KeyUsagesExtension,
	SubjectKeyIdentifierExtension,
	X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = {
	name: 'RSASSA-PKCS1-v1_5',
	hash: 'SHA-256',
	modulusLength: 3072,
	publicExponent: Uint8Array.of(1, 0, 1),
};

/** Generates the keys of a certificate, which takes half a second or more. */
export async function makeCertificateKeys(): Promise<webcrypto.CryptoKeyPair> {
	return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

/**
 * Creates a self-signed certificate whose only purpose is that callers encrypt access tokens with its public key. If
 * `keys` is absent, an RSA-3072 key pair is generated for it.
 */
export async function makeSelfSigned(options: {
	readonly commonName: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
	readonly keys?: webcrypto.CryptoKeyPair;
}): Promise<{ certificate: Buffer; privateKey: KeyObject }> {
	const keys = options.keys ?? (await makeCertificateKeys());
	const certificate = await X509CertificateGenerator.createSelfSigned(
		{
			serialNumber: randomBytes(16).toString('hex'),
			name: `CN=${options.commonName}`,
			notBefore: options.notBefore,
			notAfter: options.notAfter,
			signingAlgorithm: ALGORITHM,
			keys,
			extensions: [
				new BasicConstraintsExtension(false, undefined, true),
				new KeyUsagesExtension(KeyUsageFlags.keyEncipherment | KeyUsageFlags.dataEncipherment, true),
				await SubjectKeyIdentifierExtension.create(keys.publicKey),
			],
		},
		webcrypto as never,
	);
	const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
	const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
	pkcs8.fill(0);
	return { certificate: Buffer.from(certificate.rawData), privateKey };
}
