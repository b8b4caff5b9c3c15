import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { openLogger } from '../../src/base/log/log.ts';
import { buildApp } from '../../src/doors/http/app.ts';
import { openTls } from '../../src/doors/http/server/tls.ts';
import { makeSelfSigned } from '../../src/people/identity/credentials/self-signed.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { until } from '../helpers/until.ts';

const LOOK_MS = 50;

async function makePair() {
	const { certificate, privateKey } = await makeSelfSigned({
		commonName: `test ${randomBytes(4).toString('hex')}`,
		notBefore: new Date(Date.now() - 60_000),
		notAfter: new Date(Date.now() + 3_600_000),
	});
	const body = certificate.toString('base64').replace(/.{64}/g, '$&\n');
	return {
		cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
		key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
		der: certificate,
	};
}

type Pair = Awaited<ReturnType<typeof makePair>>;

function openFiles(t: ExecutionContext) {
	const folder = makeFolder(t);
	const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
	return {
		files,
		write({ cert, key }: Pick<Pair, 'cert' | 'key'>) {
			writeFileSync(files.certFile, cert);
			writeFileSync(files.keyFile, key);
		},
	};
}

async function listen(t: ExecutionContext, files: Parameters<typeof openTls>[0], lookMs = LOOK_MS) {
	const lines: string[] = [];
	const logger = openLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
	const tls = await openTls(files, logger, lookMs);
	t.teardown(() => tls.close());
	const app = await buildApp(await openHttpApp(t), { tls: tls.options });
	t.teardown(() => app.close());
	tls.keepCurrent(app.server as never);
	await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as { port: number };
	/** Opens a new connection, and returns the certificate that it is shown and the answer over it. */
	const visit = () =>
		new Promise<{ der: Buffer; text: string; protocol: string | null }>((resolve, reject) => {
			const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
				const der = socket.getPeerX509Certificate()!.raw;
				const protocol = socket.getProtocol();
				let text = '';
				socket.on('data', (chunk) => (text += chunk));
				socket.on('end', () => resolve({ der, text, protocol }));
				socket.write('GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
			});
			socket.on('error', reject);
		});
	return { visit, log: () => lines.join('') };
}

test('a new certificate is in use without a restart, and half a pair never is', async (t) => {
	const { files, write } = openFiles(t);
	const [first, second] = [await makePair(), await makePair()];
	write(first);
	const { visit, log } = await listen(t, files);
	const before = await visit();
	t.deepEqual(before.der, first.der);
	t.regex(before.text, /^HTTP\/1\.1 404 /);
	t.regex(before.protocol!, /^TLSv1\.[23]$/);
	writeFileSync(files.certFile, second.cert);
	await until('the pair is refused', () => log().includes('not taken up'));
	t.deepEqual((await visit()).der, first.der);
	writeFileSync(files.keyFile, second.key);
	await until('the second shows', async () => (await visit()).der.equals(second.der));
	t.true(log().includes('new certificate in use'));
	t.false(log().includes('PRIVATE KEY'));
});

test('SIGHUP takes up a new certificate at once', async (t) => {
	const { files, write } = openFiles(t);
	const [first, second] = [await makePair(), await makePair()];
	write(first);
	const { visit } = await listen(t, files, 3_600_000);
	write(second);
	process.kill(process.pid, 'SIGHUP');
	await until('the second shows', async () => (await visit()).der.equals(second.der));
	t.pass();
});

test('a certificate and a key that do not belong together stop the start', async (t) => {
	const { files, write } = openFiles(t);
	const [first, second] = [await makePair(), await makePair()];
	write({ cert: first.cert, key: second.key });
	await t.throwsAsync(openTls(files, openLogger({ level: 'silent' })));
	await t.throwsAsync(openTls({ ...files, certFile: `${files.certFile}.none` }, openLogger({ level: 'silent' })));
});
