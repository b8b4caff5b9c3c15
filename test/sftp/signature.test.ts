import { randomBytes } from 'node:crypto';
import test from 'ava';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { generateEd25519Key } from '../../src/doors/sftp/ssh/host-keys.ts';
import { findSignatureAlgorithm, isAcceptableKey, isSignatureValid } from '../../src/doors/sftp/ssh/signature.ts';

const blob = randomBytes(200);

function parse(text: string) {
	const key = ssh2.utils.parseKey(text);
	if (key instanceof Error) throw key;
	return key;
}

/** Returns what ssh2 hands over of a login with a fresh key, signed with `hash`. */
function offer(type: 'rsa' | 'ed25519' | 'ecdsa', bits: number, hash?: string) {
	const text =
		type === 'ed25519' ? generateEd25519Key() : ssh2.utils.generateKeyPairSync(type as 'rsa', { bits }).private;
	const key = parse(text);
	const signature = key.sign(blob, hash);
	return { key: { algo: key.type, data: key.getPublicSSH() }, hashAlgo: hash, signature, blob };
}

const accepts = test.macro({
	exec(t, made: ReturnType<typeof offer>, algorithm: string) {
		t.is(findSignatureAlgorithm(made), algorithm);
		t.true(isAcceptableKey(made));
		t.true(isSignatureValid(made));
		t.false(isSignatureValid({ ...made, blob: randomBytes(200) }));
		t.false(isSignatureValid({ ...made, signature: randomBytes(64) }));
		t.false(isSignatureValid({ ...made, signature: undefined }));
	},
	title: (_, __, algorithm) => `${algorithm} signatures are taken, and those of another session are not`,
});
test(accepts, offer('rsa', 2048, 'sha256'), 'rsa-sha2-256');
test(accepts, offer('rsa', 2048, 'sha512'), 'rsa-sha2-512');
test(accepts, offer('ed25519', 0), 'ssh-ed25519');
test(accepts, offer('ecdsa', 256), 'ecdsa-sha2-nistp256');
test(accepts, offer('ecdsa', 521), 'ecdsa-sha2-nistp521');

test('a signature made with SHA-1 has no algorithm we know', (t) => {
	t.is(findSignatureAlgorithm({ ...offer('rsa', 2048, 'sha1'), hashAlgo: undefined }), undefined);
	t.is(findSignatureAlgorithm({ ...offer('rsa', 2048, 'sha1'), hashAlgo: 'sha1' }), undefined);
	t.is(findSignatureAlgorithm({ key: { algo: 'ssh-dss', data: Buffer.alloc(8) } }), undefined);
});

test('an RSA signature does not pass under the other hash', (t) => {
	t.false(isSignatureValid({ ...offer('rsa', 2048, 'sha256'), hashAlgo: 'sha512' }));
});

test('a short RSA key, a key of another type than named, and no key at all are not acceptable', (t) => {
	t.false(isAcceptableKey(offer('rsa', 1024, 'sha256')));
	const ed25519 = offer('ed25519', 0);
	t.false(isAcceptableKey({ ...ed25519, key: { ...ed25519.key, algo: 'ssh-rsa' } }));
	t.false(isAcceptableKey({ ...ed25519, key: { ...ed25519.key, data: Buffer.from('no key') } }));
	t.false(isAcceptableKey({ ...ed25519, key: { ...ed25519.key, data: Buffer.alloc(0) } }));
});
