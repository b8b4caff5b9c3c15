import type { Clock } from '../../src/base/clock.ts';
import { makeSelfSigned } from '../../src/people/identity/credentials/self-signed.ts';
import { openCertificateKeys } from './certificate-keys.ts';

const DAY_MS = 86_400_000;

/** Makes a certificate that ends after some days, in PEM, with its key. */
export async function certificateFor(clock: Clock, days: number) {
	const now = clock.now().getTime();
	const { certificate, privateKey } = await makeSelfSigned({
		...{
			commonName: 'tokens.example.com',
			notBefore: new Date(now - 90 * DAY_MS),
			notAfter: new Date(now + days * DAY_MS),
		},
		keys: await openCertificateKeys()(),
	});
	const lines = certificate.toString('base64').match(/.{1,64}/g)!;
	const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
	return { pem, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}
