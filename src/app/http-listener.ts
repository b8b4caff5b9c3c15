// Converts settings into the options of the HTTP listener: limits, trusted load balancers, TLS.

import type { Logger } from '../base/log/log.ts';
import type { Settings } from '../base/settings/settings.ts';
import type { ListenerOptions } from '../doors/http/app.ts';
import { openTls, type Tls } from '../doors/http/server/tls.ts';

export interface HttpListener {
	readonly options: ListenerOptions;
	readonly scheme: 'http' | 'https';
	/** Keeps the certificate of the app's server current. Call it once the app is built. */
	attach(server: unknown): void;
	close(): void;
}

/**
 * Reads the certificate when there is one.
 * @throws if its files cannot be used
 */
export async function httpListener({ http }: Pick<Settings, 'http'>, logger: Logger): Promise<HttpListener> {
	const { tlsCertFile: certFile, tlsKeyFile: keyFile } = http;
	const tls = certFile !== null && keyFile !== null ? await openTls({ certFile, keyFile }, logger) : undefined;
	return {
		scheme: tls ? 'https' : 'http',
		options: {
			tls: tls?.options,
			trustProxy: http.trustedProxies?.split(/, */) ?? false,
			limits: {
				headersTimeoutMs: http.headersTimeoutSeconds * 1000,
				idleTimeoutMs: http.idleTimeoutSeconds * 1000,
				keepAliveMs: http.keepAliveSeconds * 1000,
				maxConnections: http.maxConnections,
			},
		},
		// The cast is needed because Fastify types every server as one without TLS.
		attach: (server) => tls?.keepCurrent(server as Parameters<Tls['keepCurrent']>[0]),
		close: () => tls?.close(),
	};
}
