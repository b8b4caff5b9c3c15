import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { Address } from './system-lookup.ts';

/**
 * If an address has not answered after this time, the next one is tried (RFC 8305 calls this the connection attempt
 * delay).
 */
const NEXT_ADDRESS_MS = 250;

/** At most this many addresses of a name are tried. If none of them answers, the host is regarded as down. */
const MAX_ADDRESSES = 6;

/**
 * Opens a connection to the first of some addresses that accepts one. It resolves no name. If none accepts, it rejects
 * with the last error.
 */
export function openSocket(addresses: readonly Address[], port: number, signal: AbortSignal): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const remaining = interleave(addresses).slice(0, MAX_ADDRESSES);
		const open = new Set<Socket>();
		let timer: NodeJS.Timeout | undefined;
		let isOver = false;
		const finish = (winner?: Socket) => {
			isOver = true;
			clearTimeout(timer);
			signal.removeEventListener('abort', onAbort);
			for (const socket of open) if (socket !== winner) socket.destroy();
		};
		const onAbort = () => {
			finish();
			reject(signal.reason);
		};
		const tryNext = () => {
			clearTimeout(timer);
			const { address, family } = remaining.shift()!;
			const socket = connect({ host: address, family, port, noDelay: true, keepAlive: true });
			open.add(socket);
			socket.once('connect', () => {
				finish(socket);
				resolve(socket);
			});
			// This listener stays for the life of the socket, so that none of its errors is ever unhandled.
			socket.on('error', (error) => {
				if (isOver) return;
				open.delete(socket);
				if (remaining.length > 0) return tryNext();
				if (open.size > 0) return;
				finish();
				reject(error);
			});
			if (remaining.length > 0) timer = setTimeout(tryNext, NEXT_ADDRESS_MS);
		};
		if (signal.aborted) return reject(signal.reason);
		signal.addEventListener('abort', onAbort);
		tryNext();
	});
}

/** Starts TLS over an open connection and resolves once the other side has proved its name. */
export function secureSocket(socket: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
	return new Promise((resolve, reject) => {
		// `rejectUnauthorized` is set explicitly, because the environment can turn the default off.
		const secure = connectTls({ ...options, socket, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] });
		const onAbort = () => secure.destroy(signal.reason);
		signal.addEventListener('abort', onAbort);
		secure.on('error', (error) => {
			signal.removeEventListener('abort', onAbort);
			socket.destroy();
			reject(error);
		});
		secure.once('secureConnect', () => {
			signal.removeEventListener('abort', onAbort);
			resolve(secure);
		});
		if (signal.aborted) onAbort();
	});
}

/**
 * Alternates between the address families, beginning with the one the resolver prefers, because one family may not work
 * in a network.
 */
function interleave(addresses: readonly Address[]): Address[] {
	const first = addresses.filter(({ family }) => family === addresses[0].family);
	const second = addresses.filter(({ family }) => family !== addresses[0].family);
	return first
		.flatMap((address, index) => [address, ...second.slice(index, index + 1)])
		.concat(second.slice(first.length));
}
