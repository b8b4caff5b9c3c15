// Reads the TLS certificate and key from two files. When the files change, the new ones take effect, so a renewed
// certificate needs no restart and breaks no connection.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import type { Logger } from '../../../base/log/log.ts';

export interface TlsFiles {
	/** The path of the file with the certificate and its intermediates, in PEM. */
	readonly certFile: string;
	/** The path of the file with the private key of the certificate, in PEM. */
	readonly keyFile: string;
}

interface Pair {
	readonly context: SecureContextOptions;
	readonly fingerprint: string;
}

/**
 * The files are read again at this interval instead of being watched. The path of a mounted secret is a symbolic link;
 * when the secret is renewed, the link is switched to other files, which a watch on the old ones does not notice.
 */
const LOOK_INTERVAL_MS = 10_000;

export type Tls = Awaited<ReturnType<typeof openTls>>;

/**
 * Opens the certificate and key files.
 * @throws if they cannot be read or do not belong together
 */
export async function openTls(files: TlsFiles, logger: Logger, lookIntervalMs = LOOK_INTERVAL_MS) {
	let current = await readPair(files);
	let timer: NodeJS.Timeout | undefined;
	let reload: (() => void) | undefined;
	return {
		options: {
			...current.context,
			minVersion: 'TLSv1.2' as const,
			honorCipherOrder: true,
			ALPNProtocols: ['http/1.1'],
		},
		/** Gives the server every new certificate: at once after SIGHUP, otherwise at the next check of the files. */
		keepCurrent(server: Pick<Server, 'setSecureContext'>): void {
			const take = async () => {
				const found = await readPair(files);
				if (found.fingerprint === current.fingerprint) return;
				server.setSecureContext({ ...found.context, minVersion: 'TLSv1.2' as const, honorCipherOrder: true });
				current = found;
				logger.info({ certFile: files.certFile }, 'new certificate in use');
			};
			// While a renewal is written, the certificate and the key do not belong together for a moment. The old pair
			// is used until they do.
			reload = () =>
				void take().catch((error: NodeJS.ErrnoException) =>
					logger.warn({ certFile: files.certFile, code: error.code }, 'certificate not taken up'),
				);
			timer = setInterval(reload, lookIntervalMs).unref();
			process.on('SIGHUP', reload);
		},
		close(): void {
			clearInterval(timer);
			if (reload) process.off('SIGHUP', reload);
		},
	};
}

/** Reads both files and checks that they belong together. */
async function readPair({ certFile, keyFile }: TlsFiles): Promise<Pair> {
	const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
	createSecureContext({ cert, key });
	return { context: { cert, key }, fingerprint: createHash('sha256').update(cert).update(key).digest('hex') };
}
