import { createPublicKey, X509Certificate } from 'node:crypto';
import test from 'ava';
import { makeSelfSigned } from '../../src/people/identity/credentials/self-signed.ts';
import { openCertificateKeys } from '../helpers/certificate-keys.ts';

const spki = (key: ReturnType<typeof createPublicKey>) => key.export({ format: 'der', type: 'spki' });

test('a certificate has the keys that were given for it, or new ones', async (t) => {
	const described = { commonName: 'Tokendrop test', notBefore: new Date(0), notAfter: new Date(1e12) };
	const make = async (keys?: Awaited<ReturnType<ReturnType<typeof openCertificateKeys>>>) => {
		const { certificate, privateKey } = await makeSelfSigned({ ...described, keys });
		const { publicKey } = new X509Certificate(certificate);
		t.deepEqual(spki(publicKey), spki(createPublicKey(privateKey)), 'both belong together');
		return spki(publicKey);
	};
	const certificateKeys = openCertificateKeys();
	const given = [await certificateKeys(), await certificateKeys()];
	const [one, other, fresh] = [await make(given[0]), await make(given[1]), await make()];
	t.deepEqual(await make(given[0]), one);
	t.notDeepEqual(other, one, 'a test that renews a certificate gets other keys');
	t.notDeepEqual(fresh, one);
});
