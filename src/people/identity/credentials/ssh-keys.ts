import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { RowSealer, RowSeals } from '../../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import { parseAddressRanges } from '../accounts/address-ranges.ts';
import { defaultPermissionsOf, formatPermissions, type Permission, readPermissions } from '../permissions.ts';
import { sealedSshKeys } from '../sealed-rows.ts';
import type { KeyOwner, PermissionChange } from './api-keys.ts';
import { type SshKeyRow, sshKeyStore } from './ssh-key-store.ts';
import type { SshPublicKey } from './ssh-public-key.ts';

export type SshKey = ReturnType<typeof sshKeyOf>;

export type SshKeys = ReturnType<typeof openSshKeys>;

export function openSshKeys(options: { database: Database; audit: Audit; clock: Clock; seals: RowSeals }) {
	const { database, audit, clock, seals } = options;
	return {
		/** @throws ServiceError if the account has the key already */
		async add(
			owner: KeyOwner,
			actor: Actor,
			key: SshPublicKey,
			permissions: ReadonlySet<Permission> = defaultPermissionsOf(owner),
			from?: string,
		): Promise<SshKey> {
			const written = formatPermissions(permissions);
			const ranges = from === undefined ? null : parseAddressRanges(from);
			try {
				return await seals.transact(database, async (transaction, sealer) => {
					const at = clock.now().getTime();
					const row = await sshKeyStore(transaction).insert({
						...key,
						account_id: owner.id,
						permissions: written,
						created_at: at,
						generation: at,
						from_ranges: ranges,
					});
					await sshKeyStore(transaction).putSeal(row.id, sealer.seal(sealedSshKeys, row));
					const entry = { actor, action: 'ssh-key.add', subject: `account ${owner.userId}` };
					const details = {
						id: row.id,
						fingerprint: key.fingerprint,
						permissions: written,
						...(ranges !== null && { from: ranges }),
					};
					await audit.record({ ...entry, details }, transaction);
					return sshKeyOf(row);
				});
			} catch (cause) {
				if (!isUniqueViolation(cause)) throw cause;
				throw badInput('file', 'the account has this SSH key already', told('already-there'), cause);
			}
		},
		async list(owner: Pick<KeyOwner, 'id'>): Promise<SshKey[]> {
			return (await seals.list(sealedSshKeys, () => sshKeyStore(database.knex).listByAccount(owner.id))).map(sshKeyOf);
		},
		/** Changes the permissions of the SSH keys of an account, or of one of them; returns how many were changed. */
		async permit(
			transaction: Knex.Transaction,
			sealer: RowSealer,
			{ accountId, permissions, only }: PermissionChange,
		): Promise<number> {
			const store = sshKeyStore(transaction);
			const rows = await store.listForUpdate(accountId, database.dialect, only as string | undefined);
			for (const row of rows) {
				// A row that was tampered with is not sealed again, so that it does not become valid.
				const isGood = sealer.isIntact(sealedSshKeys, row);
				const renewed = await sealer.renew(transaction, sealedSshKeys, { ...row, permissions });
				const { generation, seal_key, seal } = renewed;
				await store.update(row.id, { permissions, generation, ...(isGood && { seal_key, seal }) });
			}
			return rows.length;
		},
		/** @throws ServiceError if the account has no such key */
		async remove(owner: KeyOwner, actor: Actor, fingerprint: string): Promise<void> {
			await seals.transact(database, async (transaction, sealer) => {
				const row = await sshKeyStore(transaction).remove(owner.id, fingerprint);
				if (!row) {
					const moreInfo = 'the account has no such SSH key';
					throw new ServiceError('bad-input-data', { moreInfo, told: told('not-there') });
				}
				await sealer.end(transaction, sealedSshKeys, row);
				const entry = {
					actor,
					action: 'ssh-key.remove',
					subject: `account ${owner.userId}`,
					details: { id: row.id, fingerprint },
				};
				await audit.record(entry, transaction);
			});
		},
	};
}

function sshKeyOf({ id, fingerprint, algorithm, comment, permissions, created_at, from_ranges }: SshKeyRow) {
	return {
		id,
		fingerprint,
		algorithm,
		comment,
		permissions: readPermissions(permissions),
		createdAt: new Date(created_at),
		/** The allowed address ranges, separated by commas; null means any address. */
		from: from_ranges,
	};
}
