import type { FileEntryWithStats } from 'ssh2';
import { resolveTarget } from '../../../base/outbound/addresses.ts';
import { openFtpsSession } from '../../../base/outbound/ftps/ftps-session.ts';
import { openSftpSession, readHostKey, type SftpConnectOptions } from '../../../base/outbound/sftp/sftp-client.ts';
import { isRefusal, partnerFailure } from '../../../base/outbound/sftp/sftp-failures.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { DestinationOwner, Destinations } from './destinations.ts';

export interface CheckedDestination {
	/** The fingerprint of the key or certificate that the host presents. */
	readonly hostKey: string;
	/**
	 * The number of entries in the destination's folder; null if no host key is known, because then we do not log in.
	 */
	readonly entries: number | null;
}

/**
 * Connects to a destination without writing anything.
 * @throws ServiceError that says why the destination cannot be used
 */
export async function checkDestination(
	name: string,
	{
		destinations,
		audit,
		owner,
		actor,
		allowPrivate,
	}: {
		destinations: Pick<Destinations, 'getServer'>;
		audit: Pick<Audit, 'record'>;
		owner: DestinationOwner;
		actor: Actor;
		allowPrivate: boolean;
	},
): Promise<CheckedDestination> {
	const server = await destinations.getServer(owner.accountId, name);
	const options: SftpConnectOptions = {
		resolve: (host, signal) => resolveTarget(host, { allowPrivate, signal, field: 'host' }),
	};
	const note = (hostKey: string) => {
		const details = { name, host: server.partner.host, hostKey };
		return audit.record({ actor, action: 'destination.check', subject: `account ${owner.userId}`, details });
	};
	if (server.kind === 'ftps') {
		const session = await openFtpsSession(server.partner, options);
		try {
			await note(session.certificate);
			return { hostKey: session.certificate, entries: (await session.list(server.folder || '.')).length };
		} finally {
			session.end();
		}
	}
	const { partner, folder } = server;
	if (partner.hostKeys.length === 0) {
		const hostKey = await readHostKey(partner, options);
		await note(hostKey);
		return { hostKey, entries: null };
	}
	const session = await openSftpSession(partner, options);
	try {
		await note(session.hostKey);
		const list = await session.request<FileEntryWithStats[]>((sftp, done) => sftp.readdir(folder || '.', done));
		return { hostKey: session.hostKey, entries: list.length };
	} catch (error) {
		throw isRefusal(error) ? partnerFailure('path', 'the folder cannot be listed', error) : error;
	} finally {
		session.end();
	}
}
