// Opens the ends of a route.

import { posix } from 'node:path';
import type { AccountId } from '../../../base/database/ids.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { resolveTarget } from '../../../base/outbound/addresses.ts';
import { openFtpsSession } from '../../../base/outbound/ftps-session.ts';
import { openPartnerBucket } from '../../../base/outbound/s3/partner-bucket.ts';
import { openSftpSession } from '../../../base/outbound/sftp/sftp-client.ts';
import type { DropFolder } from '../../drops/drop-store.ts';
import type { Drops } from '../../drops/drops.ts';
import { type Destinations, requireTls } from '../../relay/partners/destinations.ts';
import type { RoutePlace } from '../document/route.ts';
import { openFolderEnd } from './folder-end.ts';
import { ftpsEnd } from './ftps-end.ts';
import type { Source, Target } from './place.ts';
import type { RestingHosts } from './resting-hosts.ts';
import { s3End } from './s3-end.ts';
import { sftpEnd } from './sftp-end.ts';

export interface EndParts {
	readonly destinations: Pick<Destinations, 'getServer'>;
	readonly drops: Pick<Drops, 'list' | 'find' | 'open' | 'remove'>;
	readonly folders: readonly string[];
	readonly environment: 'sandbox' | 'production';
	/** True if partners in private, link-local and metadata ranges may be reached. */
	readonly allowPrivate: boolean;
	readonly resting: RestingHosts;
}

export interface EndOwner {
	readonly accountId: AccountId;
	readonly ownerId: AccountId;
	readonly signal: AbortSignal;
	/** True if somebody waits for the run, so that a host is called even if it did not answer a short time ago. */
	readonly isAsked: boolean;
}

/** Opens the source of a route. @throws ServiceError, LoginRefusedError, HostRestsError */
export async function openSource(parts: EndParts, owner: EndOwner, place: RoutePlace): Promise<Source> {
	if (place.kind === 'drop') {
		return dropSource(parts.drops, { accountId: owner.accountId, area: place.area, filter: place.filter });
	}
	return openServer(parts, owner, place);
}

/**
 * Opens the target of a route. The folder of the route is not part of it, because its placeholders differ by file. A drop
 * has no target: its files appear in a transaction.
 * @throws as `openSource`
 */
export async function openTarget(parts: EndParts, owner: EndOwner, place: RoutePlace): Promise<Target> {
	if (place.kind === 'drop') throw new Error('internal error: a drop is no server');
	return openServer(parts, owner, { ...place, path: '' });
}

async function openServer(
	parts: EndParts,
	owner: EndOwner,
	place: Exclude<RoutePlace, { readonly kind: 'drop' }>,
): Promise<Source & Target> {
	if (place.kind === 'folder') return openFolderEnd(place.folder, place.path, parts.folders);
	const { destination, path } = place;
	const server = await parts.destinations.getServer(owner.ownerId, destination);
	const { folder } = server;
	requireTls(server, parts.environment);
	if (server.kind === 'sftp' && parts.environment === 'production' && server.partner.hostKeys.length === 0) {
		throw badInput('destination', 'holds no host key; put it with one', told('needs-beside', { member: 'hostKeys' }));
	}
	const home = path === '' ? folder : posix.join(folder || '.', path);
	const options = {
		resolve: (name: string, signal: AbortSignal) =>
			resolveTarget(name, { allowPrivate: parts.allowPrivate, signal, field: 'host' }),
		signal: owner.signal,
	};
	if (server.kind === 's3') {
		const { endpoint, bucket } = server.partner;
		const { allowPrivate } = parts;
		return parts.resting.calling(new URL(endpoint).hostname, owner.isAsked, async () => {
			const opened = await openPartnerBucket(server.partner, home, { allowPrivate, signal: owner.signal });
			return s3End(opened, { destination, endpoint, bucket });
		});
	}
	const { host, port } = server.partner;
	const facts = { destination, host, port };
	return parts.resting.calling(host, owner.isAsked, async () =>
		server.kind === 'ftps'
			? ftpsEnd(await openFtpsSession(server.partner, options), home, facts)
			: sftpEnd(await openSftpSession(server.partner, options), home, facts),
	);
}

/** Returns the source in a folder of the account's own, whose files are whole from the moment they are listed. */
function dropSource(drops: Pick<Drops, 'list' | 'find' | 'open' | 'remove'>, folder: DropFolder): Source {
	const { area, filter } = folder;
	const find = async (name: string) => {
		const file = await drops.find(folder, name);
		return file?.state === 'ready' ? file : undefined;
	};
	return {
		facts: { drop: `/${area}/${filter}` },
		isAlive: true,
		async *list() {
			for await (const files of drops.list(folder)) {
				const ready = files.filter(({ state }) => state === 'ready');
				yield ready.map(({ name, size, modified_at }) => ({ name, size, modifiedAtMs: modified_at }));
			}
		},
		async *read(name) {
			const file = await find(name);
			if (!file)
				throw new ServiceError('uri-not-found', {
					field: 'fileName',
					problem: 'the folder has no such file',
					told: told('partner-file-missing'),
				});
			const reader = await drops.open(folder, file);
			try {
				yield* reader.pieces();
			} finally {
				await reader.close();
			}
		},
		async remove(name) {
			const file = await find(name);
			if (file) await drops.remove(file);
		},
		async move() {
			throw new Error('internal error: a drop has no folders');
		},
		close() {},
	};
}
