// Messages go to and from GnuPG, and what cannot be read or trusted is refused by name.

import {
	AEADEncryptedDataPacket,
	encryptSessionKey,
	enums,
	LiteralDataPacket,
	Message,
	PacketList,
	readKey,
} from 'openpgp';
import { createKey, parseKey } from '../../src/base/openpgp/keys.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { CLEAR, openParts } from './messages.setup.ts';

const test = testNeeding('GnuPG (gnupg)');

test('what GnuPG encrypts is read: binary and armored, compressed or not, signed, for several, for hidden readers', async (t) => {
	const { gpg, us, decrypt, partner } = await openParts(t);
	gpg.makeKey('bank');
	gpg.makeKey('other');
	const signers = [await partner('bank', 'bank')];
	const signed = ['--sign', '--local-user', 'bank'];
	for (const args of [
		['--compress-algo', 'none'],
		['--armor'],
		['--compress-algo', 'zlib', '--armor', ...signed],
		['--compress-algo', 'zip', ...signed],
		['--throw-keyids'],
	]) {
		const { received, refused } = await decrypt(gpg.encrypt(CLEAR, ['other', us, 'bank'], args), { signers });
		t.is(refused, undefined, args.join(' '));
		t.true(received.equals(CLEAR), args.join(' '));
	}
	const { received, refused } = await decrypt(gpg.encrypt('', [us]));
	t.deepEqual([received.length, refused], [0, undefined], 'a message without content');
});

test('GnuPG reads what is encrypted: binary and armored, compressed, signed, by each of several readers', async (t) => {
	const { gpg, us, own, encrypt, decrypt, partner } = await openParts(t);
	const readers = [];
	for (const user of ['bank', 'second', 'third']) {
		gpg.makeKey(user);
		readers.push(await partner(user, user));
	}
	const signer = { name: 'own', armored: own.secretKey! };
	const ways = [{}, { armor: true }, { compress: 'zlib' }, { compress: 'zip', armor: true, signer }] as const;
	for (const way of ways) {
		const { received, refused } = await encrypt(CLEAR, readers, way);
		t.is(refused, undefined);
		t.is(received.toString('latin1').startsWith('-----BEGIN PGP MESSAGE'), 'armor' in way);
		t.true(gpg.decrypt(received).equals(CLEAR), JSON.stringify(Object.keys(way)));
	}
	const third = gpg(['--list-packets'], (await encrypt(CLEAR, readers)).received).toString();
	t.is(third.match(/:pubkey enc packet/g)?.length, 3);
	// Signed by us and read by us: the signature is checked as a partner would.
	const both = await encrypt(CLEAR, [{ name: 'own', armored: own.publicKey }], { signer });
	const signers = [{ name: 'us', armored: own.publicKey }];
	t.is((await decrypt(both.received, { signers, unsigned: 'refuse' })).refused, undefined);
	t.truthy(us);
});

test('a flipped or cut message is refused wherever it is damaged', async (t) => {
	const { gpg, us, decrypt } = await openParts(t);
	for (const args of [['--compress-algo', 'none'], ['--compress-algo', 'zlib'], ['--armor']]) {
		const message = gpg.encrypt(CLEAR, [us], args);
		for (const part of [0.01, 0.6, 1]) {
			const at = Math.min(Math.floor(message.length * part), message.length - 2);
			const cut = await decrypt(message.subarray(0, at));
			t.regex(
				cut.refused ?? '',
				/cut or changed on its way, so nothing of it is used: send it again/,
				`${args} ${part}`,
			);
			// The last byte of an armored message is the end of a line.
			if (args.includes('--armor') && part === 1) continue;
			const flipped = Buffer.from(message);
			flipped[at] ^= 1;
			t.regex((await decrypt(flipped)).refused ?? '', /cut or changed|other keys/, `${args} ${part}`);
		}
	}
});

test('messages that no safe program should read are refused with what to do', async (t) => {
	const { gpg, us, decrypt } = await openParts(t);
	gpg.makeKey('bank');
	const refused = async (message: Uint8Array) => (await decrypt(message)).refused ?? 'it was read';
	const old = ['--rfc2440', '--disable-mdc', '--cipher-algo', '3DES'];
	t.regex(await refused(gpg.encrypt(CLEAR, [us], old)), /no integrity protection.*--disable-mdc/);
	t.regex(await refused(gpg.encrypt(CLEAR, [us], ['--compress-algo', 'bzip2'])), /bzip2.*--compress-algo zlib/);
	t.regex(await refused(gpg.encrypt(CLEAR, ['bank'])), /encrypted for other keys than own.*pgp-key export/);
	t.regex(await refused(gpg(['--symmetric', '--passphrase', 'x'], CLEAR)), /encrypted with a password/);
	for (const none of [CLEAR, Buffer.alloc(0), gpg(['--sign', '--local-user', 'bank'], CLEAR)]) {
		t.regex(await refused(none), /not an encrypted OpenPGP message/);
	}
	t.regex(await refused(Buffer.from([0xc1, 3, 4])), /cut or changed/);
	t.regex(await refused(Buffer.from('-----BEGIN PGP MESSAGE-----\n\nabc')), /cut or changed/);
});

test('a packet that cannot be read within a message does not make the thread wait for ever', async (t) => {
	const { own, decrypt, gpg, us } = await openParts(t);
	const publicKey = await readKey({ armoredKey: own.publicKey });
	const unknown = new Uint8Array([0xa3, 99, ...new Uint8Array(300_000)]);
	const message = new Message(new PacketList());
	// The data is one compressed packet of an algorithm that nobody knows.
	Object.assign(message.packets, { write: () => unknown });
	const encrypted = await message.encrypt([publicKey], undefined as never, undefined as never);
	t.regex((await decrypt(encrypted.write() as Uint8Array)).refused ?? '', /cut or changed/);
	t.is((await decrypt(gpg.encrypt(CLEAR, [us]))).refused, undefined, 'the thread goes on with the next one');
});

/** Returns the packet in which GnuPG from 2.4 on encrypts, as its writer calls it: number 20, with OCB. */
async function gnuPgPacket(sessionKey: Uint8Array): Promise<Buffer> {
	const [literal, packet, inside] = [new LiteralDataPacket(), new AEADEncryptedDataPacket(), new PacketList()];
	const writing = packet as unknown as Writing;
	(literal as unknown as { setBytes(bytes: Uint8Array, kind: number): void }).setBytes(
		new Uint8Array(CLEAR),
		enums.literal.binary,
	);
	inside.push(literal as never);
	Object.assign(writing, { packets: inside, aeadAlgorithm: enums.aead.ocb });
	await writing.encrypt(enums.symmetric.aes256, sessionKey);
	const reader = writing.encrypted.getReader();
	const pieces: Uint8Array[] = [];
	for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
	const head = [1, enums.symmetric.aes256, enums.aead.ocb, writing.chunkSizeByte, ...writing.iv];
	const content = Buffer.concat([Buffer.from(head), ...pieces]);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(content.length);
	return Buffer.concat([Buffer.from([0xc0 | enums.packet.aeadEncryptedData, 0xff]), length, content]);
}

/** What the library does not declare of the packet. */
interface Writing {
	encrypt(algorithm: number, key: Uint8Array): Promise<void>;
	readonly encrypted: ReadableStream<Uint8Array>;
	readonly chunkSizeByte: number;
	readonly iv: Uint8Array;
}

test("GnuPG's OCB packet is read where it can be, and refused with the remedy where it cannot", async (t) => {
	const { own, decrypt } = await openParts(t);
	const encryptionKeys = await readKey({ armoredKey: own.publicKey });
	const data = crypto.getRandomValues(new Uint8Array(32));
	const head = (await encryptSessionKey({ data, algorithm: 'aes256', encryptionKeys, format: 'binary' })) as Uint8Array;
	const body = await gnuPgPacket(data);
	const { received, refused } = await decrypt(Buffer.concat([head, body]));
	t.is(refused, undefined);
	t.true(received.equals(CLEAR));
	const version = Buffer.concat([head, body]);
	version[version.indexOf(Buffer.from([1, 9, 2]), head.length)] = 2;
	t.regex((await decrypt(version)).refused ?? '', /OCB packet.*gpg --rfc4880/);
});

test('who has signed counts: the one who is named, and nobody else', async (t) => {
	const { gpg, us, decrypt, partner } = await openParts(t);
	for (const user of ['bank', 'thief']) gpg.makeKey(user);
	const signers = [await partner('bank', 'bank')];
	const by = (user: string) => gpg.encrypt(CLEAR, [us], ['--sign', '--local-user', user]);
	t.is((await decrypt(by('bank'), { signers, unsigned: 'refuse' })).refused, undefined);
	const both = gpg.encrypt(CLEAR, [us], ['--sign', '--local-user', 'thief', '--local-user', 'bank']);
	t.is((await decrypt(both, { signers, unsigned: 'refuse' })).refused, undefined, 'one of two is enough');
	for (const unsigned of ['refuse', 'accept'] as const) {
		const { refused } = await decrypt(by('thief'), { signers, unsigned });
		t.regex(refused ?? '', /not signed by bank, but by somebody else.*verifiedBy/);
	}
	const plain = gpg.encrypt(CLEAR, [us]);
	t.regex((await decrypt(plain, { signers, unsigned: 'refuse' })).refused ?? '', /is not signed.*gpg --sign/);
	t.is((await decrypt(plain, { signers, unsigned: 'accept' })).refused, undefined);
	t.is((await decrypt(by('thief'))).refused, undefined, 'without named signers nobody can tell');
});

test('keys that are expired or revoked are refused by name, whatever they are for', async (t) => {
	const { gpg, own, us, encrypt, decrypt } = await openParts(t);
	const later = ['--faked-system-time', '20200101T000000!'];
	gpg([...later, '--passphrase', '', '--quick-gen-key', 'past', 'default', 'default', '20200201T000000']);
	const past = { name: 'past', armored: gpg.exported('past').toString() };
	t.regex((await encrypt(CLEAR, [past])).refused ?? '', /the key past is expired.*pgp-key import/);
	await t.throwsAsync(parseKey('past', gpg.exported('past'), undefined), { message: /the key past is expired/ });
	const message = gpg(
		[
			...later,
			'--sign',
			'--local-user',
			'past',
			'--recipient',
			us,
			'--allow-weak-key-signatures',
			'--encrypt',
			'--ignore-time-conflict',
			'--ignore-valid-from',
		],
		CLEAR,
	);
	t.regex((await decrypt(message, { signers: [past], unsigned: 'refuse' })).refused ?? '', /the key past is expired/);

	// The owner has extended the key, but not its subkey.
	gpg([...later, '--passphrase', '', '--quick-gen-key', 'half', 'rsa2048', 'sign', 'never']);
	const [, half] = /^fpr:+([0-9A-F]+):/m.exec(gpg(['--list-keys', '--with-colons', 'half']).toString())!;
	gpg([...later, '--passphrase', '', '--quick-add-key', half, 'rsa2048', 'encr', '20200201T000000']);
	const armored = gpg.exported('half').toString();
	t.regex(
		(await encrypt(CLEAR, [{ name: 'half', armored }])).refused ?? '',
		/the part of the key half that encrypts is expired.*--quick-set-expire.*pgp-key import/,
	);

	const { revokedKey } = await import('../../src/base/openpgp/keys.ts');
	const ended = { name: 'ended', armored: await revokedKey(own.secretKey!) };
	t.regex((await encrypt(CLEAR, [ended])).refused ?? '', /the key ended is revoked/);
	await t.throwsAsync(parseKey('ended', Buffer.from(ended.armored), undefined), {
		message: /the key ended is revoked/,
	});
	const short = await createKey('short', 1);
	t.true(short.facts.expiresAt!.getTime() > Date.now());
	gpg(['--import'], short.publicKey);
	t.false(/feature.*0[2-9a-f]|features: .*aead/i.test(gpg(['--list-packets'], short.publicKey).toString()), 'no OCB');
});

test('a secret key opens with its passphrase only, and errors tell neither', async (t) => {
	const { gpg } = await openParts(t);
	gpg(['--passphrase', 'xyzzy-open', '--quick-gen-key', 'closed', 'default', 'default', 'never']);
	const secret = gpg(['--passphrase', 'xyzzy-open', '--armor', '--export-secret-keys', 'closed']);
	t.truthy((await parseKey('own', secret, 'xyzzy-open')).secretKey);
	const wrong = await t.throwsAsync(parseKey('own', secret, 'xyzzy-wrong'), { message: /passphrase does not open/ });
	t.notRegex(String(wrong?.stack), /xyzzy|BEGIN PGP/);
	await t.throwsAsync(parseKey('own', secret, undefined), { message: /--passphrase-file/ });
	await t.throwsAsync(parseKey('own', Buffer.from('no key'), undefined), { message: /not one OpenPGP key/ });
});
