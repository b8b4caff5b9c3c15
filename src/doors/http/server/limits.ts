// Sets every limit of Node's HTTP server, because Node's own defaults change with its versions. The length of a body is
// limited by `http.bodyLimitBytes`, which `app.ts` gives to Fastify; what is answered beyond it stands in `failures.ts`.

import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';

export interface ServerLimits {
	/** The head of a request must arrive within this time. Bodies have their own limit; streamed ones the idle limit. */
	readonly headersTimeoutMs: number;
	/** A connection without traffic is closed after this time, even in the middle of a request. */
	readonly idleTimeoutMs: number;
	/**
	 * The time for which a connection stays open between two requests. It is longer than the idle time of common load
	 * balancers, so that the balancer hangs up first and sends no request on a connection that this server is closing.
	 */
	readonly keepAliveMs: number;
	readonly maxConnections: number;
}

export const defaultServerLimits: ServerLimits = {
	headersTimeoutMs: 20_000,
	idleTimeoutMs: 120_000,
	keepAliveMs: 75_000,
	maxConnections: 10_000,
};

/** Returns the options that cannot be changed once a server is created. */
export function serverOptions(tls?: ServerOptions): { https: ServerOptions | null; http: ServerOptions } {
	// Without `requireHostHeader: false` Node would answer a request without a host itself, and without a request id.
	const options = { connectionsCheckingInterval: 5_000, maxHeaderSize: 16 * 1024, requireHostHeader: false };
	return { http: options, https: tls ? { ...options, ...tls } : null };
}

/** Sets the limits of a server. Call it before the server listens. */
export function limitServer(server: Server, limits: ServerLimits = defaultServerLimits): void {
	server.headersTimeout = limits.headersTimeoutMs;
	// Node's limit on the time of a whole request is switched off, because it would also apply to streamed files.
	server.requestTimeout = 0;
	server.keepAliveTimeout = limits.keepAliveMs;
	server.maxConnections = limits.maxConnections;
	// One of several processes would otherwise hand a connection on to another that has no place for it either, and so on.
	(server as Server & { dropMaxConnection: boolean }).dropMaxConnection = true;
	server.maxHeadersCount = 100;
	server.timeout = limits.idleTimeoutMs;
}
