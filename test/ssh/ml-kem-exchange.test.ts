// Tests the post-quantum key exchange: against the example of NIST, between our own two ends, and with what a hostile peer sends.

import {
	createHash,
	createPrivateKey,
	createPublicKey,
	decapsulate,
	diffieHellman,
	encapsulate,
	generateKeyPairSync,
} from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { Algorithms, ConnectConfig } from 'ssh2';
import { ML_KEM_EXCHANGE, mlKemExchange } from '../../src/base/ssh/ml-kem-exchange.ts';
import { hasPostQuantumExchange, SSH2_FILES, ssh2, takeIn } from '../../src/base/ssh/ssh2.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { byPassword, openChannel } from '../sftp/raw-client.ts';
import * as packets from '../sftp/request-packets.ts';

/** An example of ML-KEM-768 from FIPS 203, as https://c2sp.org/CCTV/ML-KEM has it: both keys, a ciphertext and its secret. */
const EXAMPLE: Record<'ek' | 'dk' | 'c' | 'K', string> = JSON.parse(
	readFileSync(new URL('ml-kem-768.json', import.meta.url), 'utf8'),
);
const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** Returns an end of the exchange, as ssh2 makes them. */
function end(isServer: boolean) {
	const Exchange = mlKemExchange(
		class {
			readonly _protocol = { _server: isServer };
		},
	);
	return new Exchange() as unknown as {
		readonly hashName: string;
		getPublicKey(): Buffer;
		convertPublicKey(sent: Buffer): Buffer;
		computeSecret(sent: Buffer): Buffer | Error;
	};
}

test('the secret of an example of NIST comes out, and its key is the one that the example names', (t) => {
	const part = (tag: number, content: Buffer) =>
		Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 0xff]), content]);
	const algorithm = bytes('300b0609608648016503040402');
	const key = part(0x30, Buffer.concat([bytes('020100'), algorithm, part(0x04, part(0x04, bytes(EXAMPLE.dk)))]));
	const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
	t.deepEqual(decapsulate(privateKey, bytes(EXAMPLE.c)), bytes(EXAMPLE.K));
	t.deepEqual(createPublicKey(privateKey).export({ format: 'raw-public' } as never) as unknown, bytes(EXAMPLE.ek));
});

test('RFC 10042: both ends come to one secret, which is the hash of both secrets, and is never shortened', (t) => {
	for (let run = 0; run < 300; run++) {
		const [client, server] = [end(false), end(true)];
		const fromClient = client.getPublicKey();
		t.is(fromClient.length, 1184 + 32);
		const secret = server.computeSecret(server.convertPublicKey(fromClient));
		const fromServer = server.getPublicKey();
		t.is(fromServer.length, 1088 + 32);
		t.deepEqual(client.computeSecret(client.convertPublicKey(fromServer)), secret);
		t.is((secret as Buffer).length, 32, 'also with zeros at its beginning, because it is a text and no number');
	}
	t.is(end(true).hashName, 'sha256');
});

test('RFC 10042: the secret of the quantum-safe part comes first', (t) => {
	const client = end(false);
	const sent = client.getPublicKey();
	const mlKemKey = { key: sent.subarray(0, 1184), format: 'raw-public', asymmetricKeyType: 'ml-kem-768' };
	const { sharedKey, ciphertext } = encapsulate(createPublicKey(mlKemKey as never));
	const own = generateKeyPairSync('x25519');
	const server = { key: sent.subarray(1184), format: 'raw-public', asymmetricKeyType: 'x25519' };
	const classical = diffieHellman({ privateKey: own.privateKey, publicKey: createPublicKey(server as never) });
	const ownPublic = own.publicKey.export({ format: 'raw-public' } as never) as unknown as Buffer;
	const expected = createHash('sha256').update(sharedKey).update(classical).digest();
	t.deepEqual(client.computeSecret(Buffer.concat([ciphertext, ownPublic])), expected);
});

test('what a hostile peer sends ends the exchange, and never one side of it alone', (t) => {
	const whole = end(false).getPublicKey();
	const wrong: Record<string, Buffer> = {
		nothing: Buffer.alloc(0),
		'one byte too few': whole.subarray(1),
		'one byte too many': Buffer.concat([whole, Buffer.alloc(1)]),
		'only the classical key': whole.subarray(1184),
		'a key beyond the modulus': Buffer.concat([Buffer.alloc(1184, 0xff), whole.subarray(1184)]),
		'a classical key of zeros': Buffer.concat([whole.subarray(0, 1184), Buffer.alloc(32)]),
		'a classical key of low order': Buffer.concat([whole.subarray(0, 1184), Buffer.alloc(32, 1).fill(0, 1)]),
	};
	for (const [what, sent] of Object.entries(wrong)) t.true(end(true).computeSecret(sent) instanceof Error, what);
	const answers = [Buffer.alloc(0), Buffer.alloc(1088 + 31), Buffer.alloc(1088 + 33), Buffer.alloc(1088 + 32)];
	for (const sent of answers) t.true(end(false).computeSecret(sent) instanceof Error, String(sent.length));
});

/** Logs in to a server of ours and returns what was agreed. */
async function agree(t: ExecutionContext, algorithms?: Algorithms) {
	const server = await startServer(t);
	const client = new ssh2.Client();
	const agreed: { kex: string }[] = [];
	client.on('error', () => {});
	client.on('handshake', (negotiated) => agreed.push(negotiated as never));
	client.connect({ host: '127.0.0.1', port: server.port, algorithms, ...byPassword } as ConnectConfig);
	await once(client, 'ready');
	t.teardown(() => client.end());
	return { server, client, agreed };
}

test('our two ends agree on it, also when they change the keys, and files go through', async (t) => {
	t.true(hasPostQuantumExchange);
	const { server, client, agreed } = await agree(t, { kex: [ML_KEM_EXCHANGE as never] });
	const { channel, open, replies } = await openChannel(client);
	const handle = await open('/first.csv');
	for (let round = 1; round <= 3; round++) {
		(client as unknown as { _protocol: { rekey(): void } })._protocol.rekey();
		await until('other keys', () => server.exchanges().postQuantum === 1 + round);
		channel.write(packets.write(10 + round, handle, 30_000 * round, Buffer.alloc(30_000)));
		await until('a reply under the new keys', () => replies().length === 2 + round);
	}
	t.deepEqual([...new Set(agreed.map(({ kex }) => kex))], [ML_KEM_EXCHANGE]);
	t.deepEqual(server.exchanges(), { postQuantum: 4, classical: 0 });
});

test('a client that does not know it logs in as before, and is counted', async (t) => {
	const { server, agreed } = await agree(t, { kex: ['curve25519-sha256'] });
	t.is(agreed[0].kex, 'curve25519-sha256');
	t.deepEqual(server.exchanges(), { postQuantum: 0, classical: 1 });
});

test('another version of ssh2 is loaded as it is', (t) => {
	const [first, ...others] = SSH2_FILES;
	t.false(takeIn([{ ...first, sha256: '0'.repeat(64) }, ...others]));
	t.false(takeIn([...others, { ...first, sha256: '0'.repeat(64) }]));
});
