import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type AddressRules, resolveTarget } from './addresses.ts';
import type { Connection } from './connection.ts';
import { openSocket, secureSocket } from './open-socket.ts';
import type { Address, Lookup } from './system-lookup.ts';
import { secureContextOf, type TlsIdentity } from './tls-identity.ts';

/**
 * A connection is not reused after this time, because the address of the name may have changed since it was resolved,
 * and because a load balancer can distribute only new connections.
 */
const MAX_AGE_MS = 60_000;

const MAX_IDLE = 64;

/** A TLS session is not resumed after this time, because resuming skips the check of the certificate. */
const MAX_SESSION_AGE_MS = 300_000;

export interface TargetOptions extends AddressRules {
	readonly isTls: boolean;
	/** The host of the target, without brackets and final dot. */
	readonly host: string;
	readonly port: string;
	readonly identity: TlsIdentity | undefined;
	readonly lookup: Lookup | undefined;
}

/**
 * The addresses of one lookup, all of them allowed. They are used only for the connection for which they were resolved.
 */
export interface CheckedAddresses {
	readonly addresses: readonly Address[];
	readonly checkedAt: number;
}

/** Represents one origin that is called with one TLS identity, and holds the idle connections to it. */
export class Target {
	readonly #options: TargetOptions;
	readonly #origin: string;
	readonly #secureContext: SecureContext | undefined;
	/** Holds the idle connections. The one returned last is reused first, so that the others can expire. */
	readonly #idle: Connection[] = [];
	readonly #open = new Set<Connection>();
	#session: { readonly ticket: Buffer; readonly madeAt: number } | undefined;
	#isClosed = false;
	usedAt = 0;

	constructor(options: TargetOptions) {
		const { isTls, host, port, identity } = options;
		this.#options = options;
		this.#origin = `http${isTls ? 's' : ''}://${isIP(host) === 6 ? `[${host}]` : host}${port && `:${port}`}`;
		if (isTls) this.#secureContext = secureContextOf(identity);
	}

	get isBusy(): boolean {
		return this.#open.size > this.#idle.length;
	}

	/** Returns an idle connection that is open and not too old, if there is one. */
	take(now: number): Connection | undefined {
		this.usedAt = now;
		for (;;) {
			const connection = this.#idle.pop();
			if (connection === undefined) return;
			if (connection.isOpen && now - connection.checkedAt < MAX_AGE_MS) return connection;
			connection.close();
		}
	}

	give(connection: Connection): void {
		if (this.#isClosed || this.#idle.length >= MAX_IDLE) connection.close();
		else if (connection.isOpen) this.#idle.push(connection);
	}

	/**
	 * Resolves the addresses to which a connection may be opened now. An IP address needs no lookup.
	 * @throws as `resolveTarget` does
	 */
	async resolve(signal: AbortSignal): Promise<CheckedAddresses> {
		const { host, allowPrivate, lookup } = this.#options;
		const checkedAt = performance.now();
		return { addresses: await resolveTarget(host, { allowPrivate, lookup, signal }), checkedAt };
	}

	/** Opens a new connection, to the given addresses or to addresses resolved now. */
	async open(signal: AbortSignal, resolved?: CheckedAddresses): Promise<Connection> {
		const { port, isTls } = this.#options;
		// This module is loaded by the first call, because undici is large and a daemon may never call anybody.
		const { Connection } = await import('./connection.ts');
		const { addresses, checkedAt } = resolved ?? (await this.resolve(signal));
		const plain = await openSocket(addresses, Number(port) || (isTls ? 443 : 80), signal);
		const socket = isTls ? await this.#secure(plain, signal) : plain;
		const connection = new Connection(this.#origin, socket, (gone) => this.#forget(gone), checkedAt);
		this.#open.add(connection);
		return connection;
	}

	/** Closes idle connections at once, and others when their call is over. */
	close(): void {
		this.#isClosed = true;
		for (const connection of this.#idle.splice(0)) connection.close();
	}

	async #secure(plain: Socket, signal: AbortSignal): Promise<Socket> {
		const { host } = this.#options;
		const { ticket, madeAt } = this.#session ?? { ticket: undefined, madeAt: 0 };
		const session = performance.now() - madeAt < MAX_SESSION_AGE_MS ? ticket : undefined;
		const servername = isIP(host) === 0 ? host : undefined;
		const secure = await secureSocket(plain, { secureContext: this.#secureContext, host, servername, session }, signal);
		const remember = (fresh: Buffer) => (this.#session = { ticket: fresh, madeAt: performance.now() });
		// A ticket from a resumed session is not kept, because its certificate was checked only at the first connection.
		if (!secure.isSessionReused()) secure.on('session', remember);
		return secure;
	}

	#forget(connection: Connection): void {
		this.#open.delete(connection);
		const index = this.#idle.indexOf(connection);
		if (index !== -1) this.#idle.splice(index, 1);
	}
}
