// Tests the check of signatures with keys that ssh-keygen has made and with OpenSSH's own ssh-agent.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { agentSigner, keySigner } from '../../src/people/operators/signers.ts';
import { isSignedBy, type SshSignature, signedBytes } from '../../src/people/operators/ssh-signature.ts';
import { sshString } from '../../src/people/operators/ssh-wire.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { KEY_TYPES, makePerson, type SshPerson, startAgent } from '../helpers/ssh-people.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');
const TEXT = 'tokendrop command\noperator alice\n';
const bytes = signedBytes(TEXT);

for (const type of Object.keys(KEY_TYPES) as (keyof typeof KEY_TYPES)[]) {
	sshTest(`${type}: what ssh-agent signs is the key's, and nobody else's`, async (t) => {
		const [person, other] = [makePerson(t, type), makePerson(t, type)];
		const sign = agentSigner(await startAgent(t, person));
		const signature = await sign(person.line, bytes);
		t.true(isSignedBy(person.line, bytes, signature));
		t.false(isSignedBy(other.line, bytes, signature));
		t.false(isSignedBy(person.line, signedBytes(`${TEXT} `), signature));
		await t.throwsAsync(sign(other.line, bytes), { message: /ssh-agent does not sign/ });
	});

	sshTest(`${type}: what a private key file signs, OpenSSH takes for its signature`, async (t) => {
		const person = makePerson(t, type);
		const sign = keySigner(readFileSync(person.file, 'utf8'));
		// Signs often, because the two numbers of an ECDSA signature are not always of the same length.
		for (let i = 0; i < 20; i++) {
			const signature = await sign(person.line, bytes);
			t.true(isSignedBy(person.line, bytes, signature));
			if (i < 3) t.true(isTakenByOpenSsh(makeFolder(t), person, signature));
		}
	});
}

sshTest('no signature passes with one bit changed, and none of another kind', async (t) => {
	const person = makePerson(t);
	const { algorithm, blob } = await keySigner(readFileSync(person.file, 'utf8'))(person.line, bytes);
	fc.assert(
		fc.property(fc.nat(blob.length * 8 - 1), (bit) => {
			const changed = Buffer.from(blob);
			changed[bit >> 3] ^= 1 << (bit & 7);
			return !isSignedBy(person.line, bytes, { algorithm, blob: changed });
		}),
	);
	const ecdsa = makePerson(t, 'ecdsa');
	fc.assert(
		fc.property(
			fc.uint8Array({ maxLength: 120 }),
			fc.constantFrom('ecdsa-sha2-nistp384', 'ssh-rsa', 'x'),
			(any, name) => {
				return !isSignedBy(ecdsa.line, bytes, { algorithm: name, blob: Buffer.from(any) });
			},
		),
	);
	t.false(isSignedBy(person.line, bytes, { algorithm: 'rsa-sha2-512', blob }));
});

sshTest('a key with a passphrase belongs into ssh-agent, and a public key is none', (t) => {
	const { file } = makePerson(t, 'ed25519', 'a passphrase');
	t.throws(() => keySigner(readFileSync(file, 'utf8')), { message: /has a passphrase: add it to ssh-agent/ });
	t.throws(() => keySigner(readFileSync(`${file}.pub`, 'utf8')), { message: /no private key/ });
	t.throws(() => keySigner('nonsense'), { message: /no private key/ });
});

/** Tells whether `ssh-keygen -Y verify` accepts the same signature, written in the form that it reads. */
function isTakenByOpenSsh(folder: string, { line, publicKey }: SshPerson, { algorithm, blob }: SshSignature): boolean {
	const version = Buffer.from([0, 0, 0, 1]);
	const inner = Buffer.concat([sshString(algorithm), sshString(blob)]);
	const parts = [publicKey.blob, 'tokendrop', '', 'sha512', inner].map((part) => sshString(part));
	const encoded = Buffer.concat([Buffer.from('SSHSIG'), version, ...parts]).toString('base64');
	const lines = encoded.match(/.{1,70}/g)!.join('\n');
	const [signature, signers] = [join(folder, 'signature'), join(folder, 'signers')];
	writeFileSync(signature, `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`);
	writeFileSync(signers, `alice ${line}\n`);
	const options = ['-Y', 'verify', '-f', signers, '-I', 'alice', '-n', 'tokendrop', '-s', signature];
	return execFileSync('ssh-keygen', options, { input: TEXT }).toString().startsWith('Good "tokendrop" signature');
}
