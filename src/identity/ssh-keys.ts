import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { isUniqueViolation, transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { ServiceError } from '../errors.ts';
import { parseAddressRanges } from './address-ranges.ts';
import type { KeyOwner } from './api-keys.ts';
import { defaultPermissionsOf, formatPermissions, type Permission, readPermissions } from './permissions.ts';
import { type SshKeyRow, sshKeyStore } from './ssh-key-store.ts';
import type { SshPublicKey } from './ssh-public-key.ts';

export interface SshKey {
	readonly id: number;
	readonly fingerprint: string;
	readonly algorithm: string;
	readonly comment: string;
	readonly permissions: ReadonlySet<Permission>;
	readonly createdAt: Date;
	/** Ranges with commas; null: from anywhere. */
	readonly from: string | null;
}

export interface SshKeys {
	/** @throws ServiceError when the account has the key already. */
	add(
		owner: KeyOwner,
		actor: string,
		key: SshPublicKey,
		permissions?: ReadonlySet<Permission>,
		from?: string,
	): Promise<SshKey>;
	list(owner: Pick<KeyOwner, 'id'>): Promise<SshKey[]>;
	/** @throws ServiceError when the account has no such key. */
	remove(owner: KeyOwner, actor: string, fingerprint: string): Promise<void>;
}

export function openSshKeys({ database, audit, clock }: { database: Database; audit: Audit; clock: Clock }): SshKeys {
	return {
		async add(
			owner,
			actor,
			{ algorithm, blob, fingerprint, comment },
			permissions = defaultPermissionsOf(owner),
			from,
		) {
			const written = formatPermissions(permissions);
			const ranges = from === undefined ? null : parseAddressRanges(from);
			try {
				return await transact(database, async (transaction) => {
					const row = await sshKeyStore(transaction).insert({
						...{ account_id: owner.id, algorithm, blob, fingerprint, comment },
						permissions: written,
						created_at: clock.now().getTime(),
						from_ranges: ranges,
					});
					const entry = { actor, action: 'ssh-key.add', subject: `account ${owner.userId}` };
					const details = { fingerprint, permissions: written, ...(ranges !== null && { from: ranges }) };
					await audit.record({ ...entry, details }, transaction);
					return sshKeyOf(row);
				});
			} catch (cause) {
				if (!isUniqueViolation(cause)) throw cause;
				throw new ServiceError('bad-input-data', { moreInfo: 'file: the account has this SSH key already', cause });
			}
		},
		async list(owner) {
			return (await sshKeyStore(database.knex).listByAccount(owner.id)).map(sshKeyOf);
		},
		async remove(owner, actor, fingerprint) {
			await transact(database, async (transaction) => {
				if (!(await sshKeyStore(transaction).remove(owner.id, fingerprint))) {
					throw new ServiceError('bad-input-data', { moreInfo: 'the account has no such SSH key' });
				}
				const entry = { actor, action: 'ssh-key.remove', subject: `account ${owner.userId}`, details: { fingerprint } };
				await audit.record(entry, transaction);
			});
		},
	};
}

function sshKeyOf(row: SshKeyRow): SshKey {
	const { id, fingerprint, algorithm, comment } = row;
	const permissions = readPermissions(row.permissions);
	return {
		id,
		fingerprint,
		algorithm,
		comment,
		permissions,
		createdAt: new Date(row.created_at),
		from: row.from_ranges,
	};
}
