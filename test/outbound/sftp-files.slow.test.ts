import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openSftpSession } from '../../src/base/outbound/sftp/sftp-client.ts';
import { openDownload } from '../../src/base/outbound/sftp/sftp-download.ts';
import { beginUpload } from '../../src/base/outbound/sftp/sftp-upload.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { plainUser, startPlainPartner, type Whims } from '../helpers/plain-partner.ts';
import { startPartner } from '../helpers/sftp-partner.ts';
import { startServer } from '../helpers/sftp-server.ts';

const here = { resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] };
const PIECE = 31 * 1024;

async function openPlain(t: ExecutionContext<unknown>, whims: Whims = {}) {
	const partner = await startPlainPartner(t, whims);
	const { port, hostKey } = partner;
	const password = new Secret(plainUser.password);
	const login = { host: 'partner', port, userName: plainUser.userName, password, hostKeys: [hostKey] };
	const session = await openSftpSession(login, here);
	t.teardown(() => session.end());
	return { partner, session };
}

async function openSshdSession(t: ExecutionContext<unknown>) {
	const partner = await startPartner(t);
	const { port, userName, keys } = partner;
	const login = { host: 'partner', port, userName, privateKey: new Secret(keys.ed25519), hostKeys: [] };
	const session = await openSftpSession(login, here);
	t.teardown(() => session.end());
	return { partner, session };
}

const target = { folder: 'in', fileName: 'may.csv', replaces: false };

test('a file appears under its name once it is whole, with its bytes', async (t) => {
	const { partner, session } = await openSshdSession(t);
	for (const size of [0, 1, PIECE, PIECE + 1, 3_000_000]) {
		const bytes = randomBytes(size);
		const fileName = `file ${size}.csv`;
		const upload = await beginUpload(session, { folder: '', fileName, replaces: false });
		// Overwrites the buffer after the write, because the writer may use its buffer again at once.
		const buffer = Buffer.from(bytes);
		await upload.write(buffer);
		buffer.fill(0);
		t.deepEqual(
			readdirSync(partner.folder).filter((name) => name === fileName),
			[],
		);
		await upload.publish();
		t.true(readFileSync(join(partner.folder, fileName)).equals(bytes), `${size} bytes`);
	}
	t.deepEqual(
		readdirSync(partner.folder).filter((name) => name.endsWith('.part')),
		[],
	);
});

test('a partner that takes only small pieces gets the bytes, although the writer overwrites its buffer at once', async (t) => {
	for (const maxWriteBytes of [1000, 16 * 1024, PIECE - 1, PIECE]) {
		const { partner, session } = await openPlain(t, { maxWriteBytes });
		const bytes = randomBytes(4 * PIECE + 77);
		const upload = await beginUpload(session, target);
		const buffer = Buffer.from(bytes);
		await upload.write(buffer);
		buffer.fill(0);
		await upload.publish();
		t.true(partner.files.get('in/may.csv')!.bytes.equals(bytes), `${maxWriteBytes} bytes in a piece`);
	}
});

test('a name that is taken is refused before a byte is sent, and at the end; replaced when asked for', async (t) => {
	const { partner, session } = await openSshdSession(t);
	const path = join(partner.folder, 'may.csv');
	const place = { ...target, folder: '' };
	const late = await beginUpload(session, place);
	await late.write(Buffer.from('late'));
	writeFileSync(path, 'first');
	const isTaken = { message: /fileName: the partner has a file of this name; overwrite=true replaces it/ };
	await t.throwsAsync(beginUpload(session, place), isTaken);
	await t.throwsAsync(late.publish(), isTaken);
	t.true(await late.remove(session));
	t.is(readFileSync(path, 'utf8'), 'first');
	const upload = await beginUpload(session, { ...place, replaces: true });
	await upload.write(Buffer.from('second'));
	t.is(readFileSync(path, 'utf8'), 'first');
	await upload.publish();
	t.is(readFileSync(path, 'utf8'), 'second');
	t.deepEqual(readdirSync(partner.folder), ['may.csv']);
});

test('a server without extensions: replaced by removing first', async (t) => {
	const { partner, session } = await openPlain(t);
	partner.files.set('in/may.csv', { bytes: Buffer.from('first'), mtime: 1 });
	await t.throwsAsync(beginUpload(session, target), { message: /has a file of this name/ });
	const upload = await beginUpload(session, { ...target, replaces: true });
	await upload.write(Buffer.from('second'));
	await upload.publish();
	t.deepEqual(
		[...partner.files].map(([path, { bytes }]) => `${path} ${bytes}`),
		['in/may.csv second'],
	);
	t.is(partner.open.size, 0);
});

test('no such folder, a full disk and bytes that got lost are told, and nothing stays', async (t) => {
	const { partner, session } = await openPlain(t, { fullAtBytes: 100_000 });
	const nowhere = beginUpload(session, { ...target, folder: 'none' });
	await t.throwsAsync(nowhere, { message: 'System error: unexpected condition: path: no such folder' });
	const upload = await beginUpload(session, target);
	const fails = async () => {
		for (;;) await upload.write(Buffer.alloc(50_000));
	};
	await t.throwsAsync(fails(), { message: /fileName: the partner refused to store more of the file/ });
	t.true(await upload.remove(session));
	t.is(partner.files.size, 0);

	const forgetful = await openPlain(t, { forgetsAfterBytes: 50_000 });
	const lost = await beginUpload(forgetful.session, target);
	await lost.write(Buffer.alloc(100_000));
	await t.throwsAsync(lost.publish(), { message: /fileName: the partner has not stored the whole file/ });
	t.true(await lost.remove(forgetful.session));
	t.is(forgetful.partner.files.size, 0);
});

test('a writer waits for a slow partner, and is told when it is to give up', async (t) => {
	const { session } = await openPlain(t, { isDeaf: true });
	const upload = await beginUpload(session, target);
	let taken = 0;
	const writing = (async () => {
		for (;;) {
			await upload.write(Buffer.alloc(100_000));
			taken += 100_000;
		}
	})();
	setTimeout(() => upload.abandon(new Error('enough')), 500);
	await t.throwsAsync(writing, { message: 'enough' });
	t.true(taken > 1_000_000 && taken < 3_000_000, `${taken} bytes were taken`);
});

async function read(session: Awaited<ReturnType<typeof openPlain>>['session'], fileName = 'may.csv'): Promise<Buffer> {
	const pieces: Buffer[] = [];
	const download = await openDownload(session, 'out', fileName);
	for await (const piece of download.read()) pieces.push(Buffer.from(piece));
	return Buffer.concat(pieces);
}

test('a file is read in order at every size, also in answers shorter than what was asked for', async (t) => {
	for (const maxReadBytes of [undefined, 10_000]) {
		const { partner, session } = await openPlain(t, { maxReadBytes });
		for (const size of [0, 1, PIECE - 1, PIECE, PIECE + 1, 64 * PIECE, 64 * PIECE + 1, 150 * PIECE + 77]) {
			const bytes = randomBytes(size);
			partner.files.set('out/may.csv', { bytes, mtime: 1 });
			t.true((await read(session)).equals(bytes), `${size} bytes`);
			t.is(partner.open.size, 0);
		}
	}
});

test('a file that is not there, a folder, and a file that changes meanwhile', async (t) => {
	const { partner, session } = await openPlain(t, {
		beforeRead(position, { files }) {
			if (position === 0) files.get('out/may.csv')!.mtime = 2;
		},
	});
	partner.folders.add('out/folder');
	const error = await t.throwsAsync(read(session, 'none'));
	t.like(error, { reason: 'uri-not-found', moreInfo: 'fileName: the partner has no such file' });
	await t.throwsAsync(read(session, 'folder'), { message: /fileName: is a folder/ });
	partner.files.set('out/may.csv', { bytes: randomBytes(100_000), mtime: 1 });
	await t.throwsAsync(read(session), { message: /fileName: changed while it was read/ });
});

test('a reader that has enough lets go of the file', async (t) => {
	const { partner, session } = await openPlain(t);
	partner.files.set('out/may.csv', { bytes: randomBytes(5_000_000), mtime: 1 });
	const download = await openDownload(session, 'out', 'may.csv');
	for await (const piece of download.read()) {
		t.is(piece.length, PIECE);
		break;
	}
	t.is(partner.open.size, 0);
	t.true((await read(session)).equals(partner.files.get('out/may.csv')!.bytes));
});

test('keys are exchanged anew in the middle of both ways', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree, limits: { rekeyBytes: 2_000_000 } });
	const password = new Secret('correct horse 7');
	const hostKeys = server.fingerprints.map((fingerprint) => fingerprint.split(' ')[1]);
	const login = { host: 'partner', port: server.port, userName: 'demo', password, hostKeys };
	const session = await openSftpSession(login, here);
	const bytes = randomBytes(9_000_000);
	const upload = await beginUpload(session, { folder: '/in', fileName: 'big', replaces: false });
	await upload.write(bytes);
	await upload.publish();
	t.true(tree.getBytes('/in/big').equals(bytes));
	tree.put('/out/may.csv', bytes);
	t.true((await readFrom(session)).equals(bytes));
	session.end();
});

async function readFrom(session: Parameters<typeof openDownload>[0]): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of (await openDownload(session, '/out', 'may.csv')).read()) pieces.push(Buffer.from(piece));
	return Buffer.concat(pieces);
}
