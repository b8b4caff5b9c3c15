import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import test from 'ava';
import { makeSelfSigned } from '../../src/people/identity/credentials/self-signed.ts';
import { parseProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { MINIMAL, problemsOf, SANDBOX } from '../helpers/profile-problems.ts';

test('a client certificate loads, and its key is its own', async (t) => {
	const { certificate, privateKey } = await makeSelfSigned({
		commonName: 'client',
		notBefore: new Date('2026-01-01'),
		notAfter: new Date('2036-01-01'),
	});
	const pem = new X509Certificate(certificate).toString();
	const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
	const passphrase = 'open sesame';
	const sealedKey = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }) as string;
	const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
	const withCertificate = (clientCertificate: object) =>
		JSON.stringify({ ...MINIMAL, hosts: ['api.example.com'], clientCertificate });

	const { clientCertificate } = parseProfile(withCertificate({ certificate: pem, key }), SANDBOX);
	t.is(createPrivateKey(clientCertificate!.key).asymmetricKeyType, 'rsa');
	const opened = parseProfile(withCertificate({ certificate: pem, key: sealedKey, passphrase }), SANDBOX);
	t.deepEqual(opened.clientCertificate, { certificate: pem, key });
	// The number of iterations stands in the key behind the salt: here it is made two billion.
	const der = Buffer.from(sealedKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
	const iterations = der.indexOf(Buffer.from('020208', 'hex'));
	t.true(iterations > 0);
	const longer = Buffer.concat([
		der.subarray(0, iterations),
		Buffer.from('02047fffffff', 'hex'),
		der.subarray(iterations + 4),
	]);
	const costly = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${longer.toString('base64')}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: costly, passphrase })), [
		'/clientCertificate/key: expected a key without a passphrase, or one hashed by PBKDF2 at most 100000 times',
	]);
	t.notThrows(() => parseProfile(JSON.stringify({ ...MINIMAL, authorities: `# ours\n${pem}\n${pem}` }), SANDBOX));
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: other })), [
		'/clientCertificate/key: expected the private key of the certificate',
	]);
	const long = generateKeyPairSync('rsa', { modulusLength: 4104 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: long })), [
		'/clientCertificate/key: expected an RSA key of at most 4096 bits',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem, key: sealedKey, passphrase: 'wrong' })), [
		'/clientCertificate/key: expected a private key in PEM that can be read with the passphrase',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: key, key: 'nonsense' })), [
		'/clientCertificate/certificate: expected a certificate in PEM that can be read',
		'/clientCertificate/key: expected a private key in PEM that can be read',
	]);
	t.deepEqual(problemsOf(t, withCertificate({ certificate: pem })), [
		'/clientCertificate/key: expected its private key in PEM',
	]);
});
