// Connects to a partner's SFTP server. The address is checked and pinned, the host's key is checked before we send any
// credentials, and one deadline covers all steps.

import type { Socket } from 'node:net';
import type { Algorithms, SFTPWrapper } from 'ssh2';
import { freeClientBuffers, freeSentBuffers } from '../../ssh/packet-buffers.ts';
import { ssh2 } from '../../ssh/ssh2.ts';
import { openSocket } from '../open-socket.ts';
import type { Address } from '../system-lookup.ts';
import { connectFailure, LoginRefusedError, partnerFailure, partnerTimeout, partnerUnproven } from './sftp-failures.ts';
import { clientAlgorithms, HostKeyCheck, type HostKeyKind, hostKeyKinds } from './sftp-host-key.ts';
import { Login } from './sftp-login.ts';
import type { SftpPartner } from './sftp-partner.ts';
import { SftpSession } from './sftp-session.ts';

const CONNECT_MS = 20_000;
const KEEPALIVE_MS = 15_000;
const MISSED_KEEPALIVES = 3;

export interface SftpConnectOptions {
	/**
	 * Returns those addresses of a host to which connections are allowed.
	 * @throws ServiceError if there are none
	 */
	resolve(host: string, signal: AbortSignal): Promise<readonly Address[]>;
	readonly signal?: AbortSignal;
	readonly connectMs?: number;
	readonly idleMs?: number;
}

/**
 * Logs in and opens the SFTP subsystem; the caller ends the session.
 * @throws ServiceError `target-unreachable`, `request-timed-out`, or what `resolve` throws
 */
export async function openSftpSession(partner: SftpPartner, options: SftpConnectOptions): Promise<SftpSession> {
	return connecting(partner, options, async (socket, kinds, check) => {
		const login = new Login(partner);
		const client = await handshake(socket, { partner, kinds, check, login });
		const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
			client.once('error', reject).once('close', () => reject(new Error('closed')));
			client.sftp((error, opened) => {
				if (error) reject(partnerFailure('host', 'lets this user in, but not over SFTP', error));
				else resolve(opened);
			});
		});
		freeClientBuffers(client, sftp, socket);
		return new SftpSession({ client, sftp, socket, hostKey: check.shown!, idleMs: options.idleMs });
	});
}

/**
 * Returns the fingerprint of the key that a host shows, without logging in.
 * @throws as `openSftpSession`
 */
export async function readHostKey(
	partner: Pick<SftpPartner, 'host' | 'port'>,
	options: SftpConnectOptions,
): Promise<string> {
	const stranger = { ...partner, userName: '', hostKeys: [] };
	return connecting(stranger, options, async (socket, kinds, check) => {
		const shown = Promise.withResolvers<void>();
		handshake(socket, { partner: stranger, kinds, check, login: null, onKey: shown.resolve }).catch(shown.reject);
		await shown.promise;
		socket.destroy();
		return check.shown!;
	});
}

/**
 * Connects to the host and calls `talk` with the socket. If the host shows a wrong key of one kind, for example RSA,
 * the attempt is repeated without this kind, because the expected key may be of another kind.
 */
async function connecting<Result>(
	{ host, port, hostKeys }: SftpPartner,
	{ resolve, signal: given, connectMs = CONNECT_MS }: SftpConnectOptions,
	talk: (socket: Socket, kinds: readonly HostKeyKind[], check: HostKeyCheck) => Promise<Result>,
): Promise<Result> {
	const deadline = AbortSignal.timeout(connectMs);
	const signal = given ? AbortSignal.any([given, deadline]) : deadline;
	const addresses = await orTimeout({ signal, deadline }, () => resolve(host, signal));
	let kinds: readonly HostKeyKind[] = hostKeyKinds;
	let mismatch: Error | undefined;
	for (;;) {
		const check = new HostKeyCheck(hostKeys);
		const socket = await orTimeout({ signal, deadline, check }, () => openSocket(addresses, port, signal));
		const destroy = () => socket.destroy();
		signal.addEventListener('abort', destroy, { once: true });
		try {
			return await orTimeout({ signal, deadline, check }, () => talk(socket, kinds, check));
		} catch (error) {
			socket.destroy();
			const { refusedKind } = check;
			// After a wrong key, the host was asked for a key of another kind. If it has none, the error says that its key
			// was wrong.
			if (refusedKind === undefined) throw mismatch && !signal.aborted && check.shown === undefined ? mismatch : error;
			mismatch = partnerUnproven('its key is not the expected one', error);
			kinds = kinds.filter((kind) => kind !== refusedKind);
			if (kinds.length === 0) throw mismatch;
		} finally {
			signal.removeEventListener('abort', destroy);
		}
	}
}

/**
 * Turns failures of `work` into errors for the caller. A failure after the deadline or after an abort is reported as a
 * timeout or as the abort, because the deadline or the abort closed the socket and thereby caused it.
 */
async function orTimeout<Result>(
	{ signal, deadline, check }: { signal: AbortSignal; deadline: AbortSignal; check?: HostKeyCheck },
	work: () => Promise<Result>,
): Promise<Result> {
	try {
		signal.throwIfAborted();
		return await work();
	} catch (error) {
		if (deadline.aborted) throw partnerTimeout('no login within the time a connection may take');
		if (signal.aborted) throw signal.reason;
		throw connectFailure(error, check?.shown !== undefined);
	}
}

interface Handshake {
	readonly partner: Pick<SftpPartner, 'userName'>;
	readonly kinds: readonly HostKeyKind[];
	readonly check: HostKeyCheck;
	/** The login to make; null if only the handshake is wanted. */
	readonly login: Login | null;
	onKey?(): void;
}

function handshake(
	socket: Socket,
	{ partner, kinds, check, login, onKey }: Handshake,
): Promise<InstanceType<typeof ssh2.Client>> {
	const client = new ssh2.Client();
	freeSentBuffers(socket);
	return new Promise((resolve, reject) => {
		const refused = (error: Error & { level?: string }) => {
			const isLogin = error.level === 'client-authentication' && login;
			reject(isLogin ? new LoginRefusedError(login.failure, error) : error);
		};
		client
			// The listener is never removed, because an error without a listener would end the process.
			.on('error', refused)
			.once('close', () => reject(new Error('closed')))
			.once('ready', () => resolve(client));
		client.connect({
			sock: socket,
			username: partner.userName,
			ident: 'tokendrop',
			algorithms: {
				...structuredClone(clientAlgorithms),
				serverHostKey: kinds.flat(),
			} as unknown as Algorithms,
			hostVerifier: (key: Buffer) => {
				const isAccepted = check.isAccepted(key);
				onKey?.();
				return isAccepted && login !== null;
			},
			authHandler: ((accepted: never) => login?.next(accepted) ?? false) as never,
			// ssh2's timeout is off, because our own deadline applies.
			readyTimeout: 0,
			keepaliveInterval: KEEPALIVE_MS,
			keepaliveCountMax: MISSED_KEEPALIVES,
		});
	});
}
