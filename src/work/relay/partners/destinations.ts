// Manages the stored destinations of accounts. They belong to the primary account, so callers give the id of the owner.

import { type Clock, systemClock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { FtpsPartner } from '../../../base/outbound/ftps/ftps-partner.ts';
import type { SftpPartner } from '../../../base/outbound/sftp/sftp-partner.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { AuditDetails } from '../../../trail/entry.ts';
import { sealedDestinations } from '../sealed-rows.ts';
import type { Destination, DestinationKind, DestinationSecrets } from './destination.ts';
import type { DestinationDocument } from './destination-document.ts';
import { type DestinationRow, destinationStore } from './destination-store.ts';

/** Describes a destination as it may be shown: it says which secrets are stored, but not what they are. */
export interface StoredDestination extends Destination {
	readonly hasPassword: boolean;
	readonly hasPrivateKey: boolean;
	readonly createdAt: Date;
	readonly updatedAt: Date;
}

/** Names the owner of a destination: by account id, and by user id for the audit trail. */
export interface DestinationOwner {
	readonly accountId: AccountId;
	readonly userId: string;
}

export interface Destinations {
	/**
	 * Saves a destination with its secrets, and replaces the one with the same name.
	 * @throws ServiceError if the account has too many destinations
	 */
	put(owner: DestinationOwner, document: DestinationDocument, actor: Actor): Promise<StoredDestination>;
	/** Returns the destinations in the order of their names. */
	list(accountId: AccountId): Promise<readonly StoredDestination[]>;
	/**
	 * Returns a destination.
	 * @throws ServiceError if there is none with this name
	 */
	get(accountId: AccountId, name: string): Promise<StoredDestination>;
	/**
	 * Returns the login data of a destination, and its folder.
	 * @throws ServiceError if there is none with this name
	 */
	getPartner(accountId: AccountId, name: string): Promise<{ readonly partner: SftpPartner; readonly folder: string }>;
	/**
	 * Returns the login data of a destination by its kind, and its folder.
	 * @throws ServiceError if there is none with this name
	 */
	getServer(accountId: AccountId, name: string): Promise<PartnerServer>;
	/** Removes a destination; returns whether there was one. */
	remove(owner: DestinationOwner, name: string, actor: Actor): Promise<boolean>;
}

/** A partner's server, by the protocol over which it is reached. */
export type PartnerServer = { readonly folder: string } & (
	| { readonly kind: 'sftp'; readonly partner: SftpPartner }
	| { readonly kind: 'ftps'; readonly partner: FtpsPartner }
);

/** What is sealed of a destination: beside the secrets the kind and the certificates, as they decide how we connect. */
interface SealedParts extends DestinationSecrets {
	readonly kind?: DestinationKind;
	readonly certificates?: readonly string[];
}

const MAX_DESTINATIONS = 500;

/** Gives access to the stored destinations; the database must be migrated. */
export function openDestinations(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock?: Clock;
}): Destinations {
	const { database, keyRing, audit, clock = systemClock } = options;
	const store = destinationStore(database.knex);

	const getRow = async (accountId: AccountId, name: string): Promise<DestinationRow> => {
		const row = await keyRing.seals.find(sealedDestinations, () => store.find(accountId, name));
		if (row) return row;
		throw new ServiceError('bad-input-data', {
			field: 'destination',
			problem: 'the account has no destination with this name',
		});
	};
	const open = async (row: DestinationRow): Promise<SealedParts> => {
		const { secret } = await keyRing.byId(row.key_id);
		const plain = unseal(secret, row.sealed, associated(row.account_id, row.name));
		const secrets = JSON.parse(plain.toString()) as SealedParts;
		plain.fill(0);
		return secrets;
	};
	const shown = async (row: DestinationRow): Promise<StoredDestination> => {
		const sealed = await open(row);
		const { password, privateKey } = sealed;
		return {
			...destinationOf(row, sealed),
			hasPassword: password !== undefined,
			hasPrivateKey: privateKey !== undefined,
			createdAt: new Date(row.created_at),
			updatedAt: new Date(row.updated_at),
		};
	};
	const noteOf = (actor: Actor, action: string, { userId }: DestinationOwner, details: AuditDetails) => ({
		actor,
		action,
		subject: `account ${userId}`,
		details,
	});

	return {
		async put(owner, { destination, secrets }, actor) {
			const { accountId } = owner;
			const { name, kind = 'sftp', host, port, userName, folder, hostKeys, certificates = [] } = destination;
			const key = await keyRing.current('secret');
			const parts: SealedParts = kind === 'sftp' ? secrets : { ...secrets, kind, certificates };
			const plain = Buffer.from(JSON.stringify(parts));
			const sealed = seal(key.secret, plain, associated(accountId, name));
			plain.fill(0);
			const now = clock.now().getTime();
			const row = {
				account_id: accountId,
				name,
				host,
				port,
				user_name: userName,
				folder,
				host_keys: hostKeys.join(' '),
				key_id: key.id,
				sealed,
				created_at: now,
				updated_at: now,
			};
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = destinationStore(transaction);
				const isNew = (await within.find(accountId, name)) === undefined;
				if (isNew && (await within.count(accountId)) >= MAX_DESTINATIONS) {
					const moreInfo = `an account has at most ${MAX_DESTINATIONS} destinations`;
					throw new ServiceError('bad-input-data', { moreInfo });
				}
				const { generation, ...sealed } = await sealer.renew(transaction, sealedDestinations, row);
				await within.put({ ...row, updated_at: generation, ...sealed });
				const pins = (kind === 'sftp' ? hostKeys : certificates).join(' ');
				const details = { name, host, port, ...(kind === 'sftp' ? { hostKeys: pins } : { kind, certificates: pins }) };
				await audit.record(noteOf(actor, 'destination.put', owner, details), transaction);
			});
			return shown(await getRow(accountId, name));
		},
		async list(accountId) {
			return Promise.all((await keyRing.seals.list(sealedDestinations, () => store.list(accountId))).map(shown));
		},
		async get(accountId, name) {
			return shown(await getRow(accountId, name));
		},
		async getPartner(accountId, name) {
			const row = await getRow(accountId, name);
			const server = serverOf(row, await open(row));
			if (server.kind === 'sftp') return server;
			const problem = 'is reached over FTPS, which only routes use';
			throw new ServiceError('bad-input-data', { field: 'destination', problem });
		},
		async getServer(accountId, name) {
			const row = await getRow(accountId, name);
			return serverOf(row, await open(row));
		},
		async remove(owner, name, actor) {
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

function destinationOf(row: DestinationRow, { kind = 'sftp', certificates = [] }: SealedParts): Destination {
	const { name, host, port, user_name: userName, folder, host_keys } = row;
	const hostKeys = host_keys === '' ? [] : host_keys.split(' ');
	return { name, kind, host, port, userName, folder, hostKeys, certificates };
}

function serverOf(row: DestinationRow, sealed: SealedParts): PartnerServer {
	const { password, privateKey, passphrase } = sealed;
	const { kind, host, port, userName, hostKeys, certificates, folder } = destinationOf(row, sealed);
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
	associated(account_id, name),
);

/**
 * Returns the bytes to which the sealed secrets of a destination are bound, so that they can be opened only for the
 * same account and name.
 */
function associated(accountId: AccountId, name: string): Buffer {
	return Buffer.from(`tokendrop destination ${accountId}/${name}`);
}
