// Manages the stored destinations of accounts. They belong to the primary account, so callers give the id of the owner.

import { isIP } from 'node:net';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { openValue, sealValue } from '../../../base/keys/rows/sealed-values.ts';
import type { FtpsPartner } from '../../../base/outbound/ftps-partner.ts';
import type { S3Partner } from '../../../base/outbound/s3/partner-bucket.ts';
import type { SftpPartner } from '../../../base/outbound/sftp/sftp-partner.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Owner } from '../../../people/identity/principal.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { AuditDetails } from '../../../trail/entry.ts';
import type { Destination, DestinationKind, DestinationSecrets } from './destination.ts';
import type { DestinationDocument } from './destination-document.ts';
import { type DestinationRow, destinationStore, sealedDestinations } from './destination-store.ts';

/** Describes a destination as it may be shown: it says which secrets are stored, but not what they are. */
export type StoredDestination = Destination & {
	readonly hasPassword: boolean;
	readonly hasPrivateKey: boolean;
	readonly hasSecretKey: boolean;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

/** A partner's server, by the protocol over which it is reached. */
export type PartnerServer = { readonly folder: string } & (
	| { readonly kind: 'sftp'; readonly partner: SftpPartner }
	| { readonly kind: 'ftps'; readonly partner: FtpsPartner }
	| { readonly kind: 's3'; readonly partner: S3Partner }
);

/**
 * Refuses a bucket whose server is reached without TLS, which only the sandbox allows.
 * @throws ServiceError
 */
export function requireTls(server: PartnerServer, environment: 'sandbox' | 'production'): void {
	if (server.kind !== 's3' || environment === 'sandbox' || server.partner.endpoint.startsWith('https:')) return;
	const problem = 'has an endpoint without TLS; put it with one that begins with https';
	throw badInput('destination', problem, told('url-malformed'));
}

/**
 * What is sealed of a destination: beside the secrets the kind and what only that has. Of a bucket, the columns have the host
 * and port of its server, and the id of the access key as the name of the user.
 */
interface SealedParts extends DestinationSecrets {
	readonly kind?: DestinationKind;
	readonly certificates?: readonly string[];
	readonly scheme?: string;
	readonly bucket?: string;
	readonly region?: string;
}

const MAX_DESTINATIONS = 500;

export type Destinations = ReturnType<typeof openDestinations>;

/** Gives access to the stored destinations; the database must be migrated. */
export function openDestinations(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock?: Clock;
}) {
	const { database, keyRing, audit, clock = systemClock } = options;
	const store = destinationStore(database.knex);

	const getRow = async (accountId: AccountId, name: string): Promise<DestinationRow> => {
		const row = await keyRing.seals.find(sealedDestinations, () => store.find(accountId, name));
		if (row) return row;
		throw badInput('destination', 'the account has no destination with this name', told('not-there'));
	};
	const open = (row: DestinationRow) => openValue<SealedParts>(keyRing, sealedDestinationSecrets, row);
	const shown = async (row: DestinationRow): Promise<StoredDestination> => {
		const sealed = await open(row);
		const { password, privateKey, secretKey } = sealed;
		return {
			...destinationOf(row, sealed),
			hasPassword: password !== undefined,
			hasPrivateKey: privateKey !== undefined,
			hasSecretKey: secretKey !== undefined,
			createdAt: new Date(row.created_at),
			updatedAt: new Date(row.updated_at),
		};
	};
	const noteOf = (actor: Actor, action: string, { userId }: Owner, details: AuditDetails) => ({
		actor,
		action,
		subject: `account ${userId}`,
		details,
	});

	return {
		/**
		 * Saves a destination with its secrets, and replaces the one with the same name.
		 * @throws ServiceError if the account has too many destinations
		 */
		async put(owner: Owner, { destination, secrets }: DestinationDocument, actor: Actor): Promise<StoredDestination> {
			const { accountId } = owner;
			const { name, folder } = destination;
			const key = await keyRing.current('secret');
			const { columns, parts, details } = storedParts(destination);
			const now = clock.now().getTime();
			const place = { account_id: accountId, name };
			const row = {
				...place,
				...columns,
				folder,
				...sealValue(key, sealedDestinationSecrets, place, { ...secrets, ...parts }),
				created_at: now,
				updated_at: now,
			};
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = destinationStore(transaction);
				const isNew = (await within.find(accountId, name)) === undefined;
				if (isNew && (await within.count(accountId)) >= MAX_DESTINATIONS) {
					const moreInfo = `an account has at most ${MAX_DESTINATIONS} destinations`;
					throw new ServiceError('bad-input-data', { moreInfo, told: told('at-most', { limit: MAX_DESTINATIONS }) });
				}
				await within.put(await sealer.renew(transaction, sealedDestinations, row));
				await audit.record(noteOf(actor, 'destination.put', owner, { name, ...details }), transaction);
			});
			return shown(await getRow(accountId, name));
		},
		async list(accountId: AccountId): Promise<readonly StoredDestination[]> {
			return Promise.all((await keyRing.seals.list(sealedDestinations, () => store.list(accountId))).map(shown));
		},
		/** @throws ServiceError if there is none with this name */
		async get(accountId: AccountId, name: string): Promise<StoredDestination> {
			return shown(await getRow(accountId, name));
		},
		/**
		 * Returns the login data of a destination that is reached over sFTP, and its folder.
		 * @throws ServiceError if there is none with this name, or it is of another kind
		 */
		async getPartner(accountId: AccountId, name: string) {
			const row = await getRow(accountId, name);
			const server = serverOf(row, await open(row));
			if (server.kind === 'sftp') return server;
			throw badInput('destination', `is reached over ${server.kind === 's3' ? 'S3' : 'FTPS'}, which only routes use`);
		},
		/**
		 * Returns the login data of a destination by its kind, and its folder.
		 * @throws ServiceError if there is none with this name
		 */
		async getServer(accountId: AccountId, name: string): Promise<PartnerServer> {
			const row = await getRow(accountId, name);
			return serverOf(row, await open(row));
		},
		async remove(owner: Owner, name: string, actor: Actor): Promise<boolean> {
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				const row = await destinationStore(transaction).remove(owner.accountId, name);
				if (!row) return false;
				await sealer.end(transaction, sealedDestinations, row);
				await audit.record(noteOf(actor, 'destination.remove', owner, { name }), transaction);
				return true;
			});
		},
	};
}

/** Returns what is stored of a destination in clear columns and in its sealed part, and what the trail says of it. */
function storedParts(destination: DestinationDocument['destination']): {
	readonly columns: Pick<DestinationRow, 'host' | 'port' | 'user_name' | 'host_keys'>;
	readonly parts: SealedParts;
	readonly details: AuditDetails;
} {
	if (destination.kind === 's3') {
		const { kind, endpoint, bucket, region, accessKeyId } = destination;
		const { protocol, hostname, port } = new URL(endpoint);
		const host = hostname.replace(/^\[|\]$/g, '');
		return {
			columns: { host, port: Number(port) || DEFAULT_PORTS[protocol], user_name: accessKeyId, host_keys: '' },
			parts: { kind, scheme: protocol, bucket, region },
			details: { kind, endpoint, bucket },
		};
	}
	const { kind = 'sftp', host, port, userName, hostKeys, certificates = [] } = destination;
	const columns = { host, port, user_name: userName, host_keys: hostKeys.join(' ') };
	if (kind === 'sftp') return { columns, parts: {}, details: { host, port, hostKeys: hostKeys.join(' ') } };
	return {
		columns,
		parts: { kind, certificates },
		details: { host, port, kind, certificates: certificates.join(' ') },
	};
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

function destinationOf(row: DestinationRow, sealed: SealedParts): Destination {
	const { name, host, port, user_name: userName, folder, host_keys } = row;
	const { kind = 'sftp', certificates = [], scheme, bucket = '', region = '' } = sealed;
	if (kind === 's3') {
		const { origin: endpoint } = new URL(`${scheme}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
		return { name, kind, endpoint, bucket, region, accessKeyId: userName, folder };
	}
	const hostKeys = host_keys === '' ? [] : host_keys.split(' ');
	return { name, kind, host, port, userName, folder, hostKeys, certificates };
}

function serverOf(row: DestinationRow, sealed: SealedParts): PartnerServer {
	const { password, privateKey, passphrase, secretKey = '' } = sealed;
	const destination = destinationOf(row, sealed);
	if (destination.kind === 's3') {
		const { kind, folder, endpoint, bucket, region, accessKeyId } = destination;
		return { kind, folder, partner: { endpoint, bucket, region, accessKeyId, secretKey: new Secret(secretKey) } };
	}
	const { kind, host, port, userName, hostKeys, certificates, folder } = destination;
	const server = { host, port, userName };
	if (kind === 'ftps') {
		return { kind, folder, partner: { ...server, certificates, password: new Secret(password ?? '') } };
	}
	const secrets = { privateKey: secretOf(privateKey), passphrase: secretOf(passphrase) };
	return { kind, folder, partner: { ...server, hostKeys, password: secretOf(password), ...secrets } };
}

function secretOf(text: string | undefined): Secret | undefined {
	return text === undefined ? undefined : new Secret(text);
}

/** Names the table and columns with the secrets of destinations, so that they can be sealed again under a new key. */
export const sealedDestinationSecrets = secretsIn(sealedDestinations, ({ account_id, name }) =>
	Buffer.from(`tokendrop destination ${account_id}/${name}`),
);
