import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openSftpSession } from '../../src/base/outbound/sftp/sftp-client.ts';
import { openDownload } from '../../src/base/outbound/sftp/sftp-download.ts';
import type { SftpSession } from '../../src/base/outbound/sftp/sftp-session.ts';
import { beginUpload } from '../../src/base/outbound/sftp/sftp-upload.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshdTest = testNeeding('sshd (openssh-server)');
const here = { resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] };
const FILES = 3;
const FILE_BYTES = 6 * 1024 * 1024;

/** Starts OpenSSH's server with these lines in its configuration, and a file in it for each number. */
async function startWithFiles(t: ExecutionContext<unknown>, lines: readonly string[]) {
	const partner = await startSshd(t, lines);
	const { port, userName, keys, folder } = partner;
	const login = { host: 'partner', port, userName, privateKey: new Secret(keys.ed25519), hostKeys: [] };
	const session = await openSftpSession(login, here);
	t.teardown(() => session.end());
	mkdirSync(join(folder, 'in'));
	const contents = Array.from({ length: FILES }, (_, n) => ({ name: `${n}.csv`, bytes: randomBytes(FILE_BYTES) }));
	for (const { name, bytes } of contents) writeFileSync(join(folder, name), bytes);
	return { folder, session, contents };
}

/** Downloads every file and uploads it again, all at once over one session, and returns the hashes of what came. */
function thereAndBack(session: SftpSession, contents: readonly { readonly name: string; readonly bytes: Buffer }[]) {
	return Promise.all(
		contents.map(async ({ name, bytes }) => {
			const hash = createHash('sha256');
			const upload = await beginUpload(session, { folder: 'in', fileName: name, replaces: false });
			const writing = upload.write(bytes);
			for await (const piece of (await openDownload(session, '', name)).read()) hash.update(piece);
			await writing;
			await upload.publish();
			return hash.digest('hex');
		}),
	);
}

const sums = (contents: readonly { readonly bytes: Buffer }[]) =>
	contents.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));

for (const [cipher, mac] of [
	['aes128-gcm@openssh.com', 'hmac-sha2-256'],
	['chacha20-poly1305@openssh.com', 'hmac-sha2-256'],
	['aes256-ctr', 'hmac-sha2-256-etm@openssh.com'],
	['aes256-ctr', 'hmac-sha2-512'],
]) {
	sshdTest.serial(`with ${cipher} and ${mac}, files go both ways as they are while keys are exchanged`, async (t) => {
		const lines = [`Ciphers ${cipher}`, `MACs ${mac}`, 'RekeyLimit 1M'];
		const { folder, session, contents } = await startWithFiles(t, lines);
		t.deepEqual(await thereAndBack(session, contents), sums(contents));
		for (const { name, bytes } of contents) t.true(readFileSync(join(folder, 'in', name)).equals(bytes), name);
	});
}

sshdTest.serial('most of what goes both ways is given back at once, which rests on the inside of ssh2', async (t) => {
	const { session, contents } = await startWithFiles(t, ['Ciphers aes128-gcm@openssh.com']);
	const { transfer } = ArrayBuffer.prototype;
	let givenBack = 0;
	ArrayBuffer.prototype.transfer = function (this: ArrayBuffer, length?: number) {
		if (length === 0) givenBack += this.byteLength;
		return transfer.call(this, length);
	};
	t.teardown(() => {
		ArrayBuffer.prototype.transfer = transfer;
	});
	const count = async (work: () => Promise<unknown>) => {
		givenBack = 0;
		await work();
		return givenBack;
	};
	const [{ name, bytes }] = contents;
	const received = await count(async () => {
		for await (const _ of (await openDownload(session, '', name)).read());
	});
	// Each byte is in a buffer of the socket, and most are also in that of a packet and that of an answer.
	t.true(received > 2 * FILE_BYTES, `${received} bytes given back of what was received`);
	const sent = await count(async () => {
		const upload = await beginUpload(session, { folder: 'in', fileName: name, replaces: false });
		await upload.write(bytes);
		await upload.publish();
	});
	// Each byte is in a copy of the caller's buffer, in a request and in a packet.
	t.true(sent > 2.9 * FILE_BYTES, `${sent} bytes given back of what was sent`);
});
