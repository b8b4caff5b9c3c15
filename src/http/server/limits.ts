// What a listener puts up with. Every limit of Node's server is set: its own defaults change with its versions.

import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';

export interface ServerLimits {
	/** For the head of a request; bodies have a limit of their own, streamed ones only the idle one. */
	readonly headersTimeoutMs: number;
	/** A connection on which nothing moves, in the middle of a request too. */
	readonly idleTimeoutMs: number;
	/** Between two requests. Longer than the idle time of common balancers, which must be the first to hang up. */
	readonly keepAliveMs: number;
	readonly maxConnections: number;
}

export const defaultServerLimits: ServerLimits = {
	headersTimeoutMs: 20_000,
	idleTimeoutMs: 120_000,
	keepAliveMs: 75_000,
	maxConnections: 10_000,
};

/** What cannot be changed once a server is made. */
export function serverOptions(tls?: ServerOptions): { https: ServerOptions | null; http: ServerOptions } {
	// Without it Node would answer such a request itself, without a request id.
	const options = { connectionsCheckingInterval: 5_000, maxHeaderSize: 16 * 1024, requireHostHeader: false };
	return { http: options, https: tls ? { ...options, ...tls } : null };
}

/** Sets the limits of a server; before it listens. */
export function limitServer(server: Server, limits: ServerLimits = defaultServerLimits): void {
	server.headersTimeout = limits.headersTimeoutMs;
	// It would hold for streamed files too.
	server.requestTimeout = 0;
	server.keepAliveTimeout = limits.keepAliveMs;
	server.maxConnections = limits.maxConnections;
	server.maxHeadersCount = 100;
	server.timeout = limits.idleTimeoutMs;
}
