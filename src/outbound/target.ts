import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type AddressRules, resolveTarget } from './addresses.ts';
import { Connection } from './connection.ts';
import { openSocket, secureSocket } from './open-socket.ts';
import type { Address, Lookup } from './system-lookup.ts';
import { secureContextOf, type TlsIdentity } from './tls-identity.ts';

/** A name may have moved since its address was asked for; and a balancer can only spread what is opened anew. */
const MAX_AGE_MS = 60_000;

const MAX_IDLE = 64;

/** A resumed session skips the check of the certificate, so it may not be old. */
const MAX_SESSION_AGE_MS = 300_000;

export interface TargetOptions extends AddressRules {
	readonly isTls: boolean;
	/** Without brackets and final dot. */
	readonly host: string;
	readonly port: string;
	readonly identity: TlsIdentity | undefined;
	readonly lookup: Lookup | undefined;
}

/** What a lookup answered, every address allowed; for the connection it was made for and no other. */
export interface CheckedAddresses {
	readonly addresses: readonly Address[];
	readonly checkedAt: number;
}

/** One origin as one identity sees it, with the connections that wait for the next call. */
export class Target {
	readonly #options: TargetOptions;
	readonly #origin: string;
	readonly #secureContext: SecureContext | undefined;
	/** The last one given back is the first one taken: the others may rest and end. */
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

	/** A connection that is open and young enough, if one waits. */
	take(now: number): Connection | undefined {
		this.usedAt = now;
		for (;;) {
			const connection = this.#idle.pop();
			if (connection === undefined) return;
			if (connection.isOpen && now - connection.checkedAt < MAX_AGE_MS) return connection;
			connection.close();
		}
	}

	/** Takes a connection back after a call that came to its end. */
	give(connection: Connection): void {
		if (this.#isClosed || this.#idle.length >= MAX_IDLE) connection.close();
		else if (connection.isOpen) this.#idle.push(connection);
	}

	/** What a connection may be opened to now; an address needs no lookup. @throws as `resolveTarget` does */
	async resolve(signal: AbortSignal): Promise<CheckedAddresses> {
		const { host, allowPrivate, lookup } = this.#options;
		const checkedAt = performance.now();
		return { addresses: await resolveTarget(host, { allowPrivate, lookup, signal }), checkedAt };
	}

	/** A new connection, to what was resolved for it, now or a moment ago. */
	async open(signal: AbortSignal, resolved?: CheckedAddresses): Promise<Connection> {
		const { port, isTls } = this.#options;
		const { addresses, checkedAt } = resolved ?? (await this.resolve(signal));
		const plain = await openSocket(addresses, Number(port) || (isTls ? 443 : 80), signal);
		const socket = isTls ? await this.#secure(plain, signal) : plain;
		const connection = new Connection(this.#origin, socket, (gone) => this.#forget(gone), checkedAt);
		this.#open.add(connection);
		return connection;
	}

	/** Ends the connections that wait at once, and those in use when their call is over. */
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
		// What a resumed session hands on was still checked only once.
		if (!secure.isSessionReused()) secure.on('session', remember);
		return secure;
	}

	#forget(connection: Connection): void {
		this.#open.delete(connection);
		const index = this.#idle.indexOf(connection);
		if (index !== -1) this.#idle.splice(index, 1);
	}
}
