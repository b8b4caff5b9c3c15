import type { FileEntryWithStats } from 'ssh2';
import { resolveTarget } from '../../../base/outbound/addresses.ts';
import { openFtpsSession } from '../../../base/outbound/ftps-session.ts';
import { openPartnerBucket } from '../../../base/outbound/s3/partner-bucket.ts';
import { openSftpSession, readHostKey, type SftpConnectOptions } from '../../../base/outbound/sftp/sftp-client.ts';
import { isRefusal, partnerFailure } from '../../../base/outbound/sftp/sftp-failures.ts';
import type { Owner } from '../../../people/identity/principal.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { AuditDetails } from '../../../trail/entry.ts';
import { type Destinations, requireTls } from './destinations.ts';

/**
 * Connects to a destination without writing anything. Returns the fingerprint by which its host is known, and how many entries
 * its folder has, of a bucket those on the first page of its list. Without a known host key nobody logs in to count them.
 * @throws ServiceError that says why the destination cannot be used
 */
export async function checkDestination(
	name: string,
	parts: {
		destinations: Pick<Destinations, 'getServer'>;
		audit: Pick<Audit, 'record'>;
		owner: Owner;
		actor: Actor;
		allowPrivate: boolean;
		environment: 'sandbox' | 'production';
	},
) {
	const { destinations, audit, owner, actor, allowPrivate, environment } = parts;
	const server = await destinations.getServer(owner.accountId, name);
	const options: SftpConnectOptions = {
		resolve: (host, signal) => resolveTarget(host, { allowPrivate, signal, field: 'host' }),
	};
	const note = (details: AuditDetails) => {
		const subject = `account ${owner.userId}`;
		return audit.record({ actor, action: 'destination.check', subject, details: { name, ...details } });
	};
	if (server.kind === 's3') {
		requireTls(server, environment);
		const { endpoint, bucket: bucketName } = server.partner;
		const bucket = await openPartnerBucket(server.partner, server.folder, { allowPrivate });
		try {
			await note({ endpoint, bucket: bucketName });
			const { value: page = [] } = await bucket.listPages('', '/').next();
			return { hostKey: null, entries: page.length };
		} finally {
			bucket.close();
		}
	}
	const { host } = server.partner;
	if (server.kind === 'ftps') {
		const session = await openFtpsSession(server.partner, options);
		try {
			await note({ host, hostKey: session.certificate });
			return { hostKey: session.certificate, entries: (await session.list(server.folder || '.')).length };
		} finally {
			session.end();
		}
	}
	const { partner, folder } = server;
	if (partner.hostKeys.length === 0) {
		const hostKey = await readHostKey(partner, options);
		await note({ host, hostKey });
		return { hostKey, entries: null };
	}
	const session = await openSftpSession(partner, options);
	try {
		await note({ host, hostKey: session.hostKey });
		const list = await session.request<FileEntryWithStats[]>((sftp, done) => sftp.readdir(folder || '.', done));
		return { hostKey: session.hostKey, entries: list.length };
	} catch (error) {
		throw isRefusal(error) ? partnerFailure('path', 'the folder cannot be listed', error) : error;
	} finally {
		session.end();
	}
}
