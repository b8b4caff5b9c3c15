import type { Knex } from 'knex';
import { deleteRows, insertRow } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { RowSeal, Seal } from '../../../base/keys/rows/row-seals.ts';
import type { AccountRole } from '../rights.ts';

export interface GroupRow extends RowSeal {
	readonly id: number;
	readonly account_id: AccountId;
	readonly name: string;
	readonly external_id: string | null;
	readonly created_at: number;
}

/** The groups of a user, and the role that they gave last. */
export interface MembershipRow extends Seal {
	readonly user_id: number;
	readonly account_id: AccountId;
	/** The ids of the groups, as a JSON array. */
	readonly group_ids: string;
	readonly given_role: AccountRole;
	readonly created_at: number;
}

export function groupStore(knex: Knex) {
	const groups = () => knex<GroupRow>('portal_groups');
	const memberships = () => knex<MembershipRow>('portal_memberships');
	return {
		/** Makes other changes of an account's groups wait until this transaction ends, because roles follow from all of them. */
		async lock(accountId: AccountId): Promise<void> {
			await knex('accounts').where({ id: accountId }).forUpdate().select('id');
		},
		async list(accountId: AccountId): Promise<GroupRow[]> {
			return groups().where({ account_id: accountId }).orderBy('id');
		},
		/**
		 * Inserts a group without its seal, which covers the id.
		 * @throws a unique violation if the account has a group of this name
		 */
		async insert(row: Omit<GroupRow, 'id' | 'seal_key' | 'seal'>): Promise<GroupRow> {
			return insertRow(groups(), row);
		},
		/** @throws a unique violation if the account has another group of this name */
		async change(id: number, row: Partial<GroupRow>): Promise<void> {
			await groups().where({ id }).update(row);
		},
		async remove(id: number): Promise<GroupRow[]> {
			return deleteRows(knex, groups().where({ id }));
		},
		async listMemberships(accountId: AccountId): Promise<MembershipRow[]> {
			return memberships().where({ account_id: accountId }).orderBy('user_id');
		},
		async findMembership(userId: number): Promise<MembershipRow | undefined> {
			return memberships().where({ user_id: userId }).first();
		},
		async putMembership(row: MembershipRow): Promise<void> {
			await memberships()
				.insert(row as never)
				.onConflict('user_id')
				.merge();
		},
		async removeMembership(userId: number): Promise<MembershipRow[]> {
			return deleteRows(knex, memberships().where({ user_id: userId }));
		},
	};
}

/** What the directory of an account says of a user. */
export interface DirectoryRow extends Seal {
	readonly user_id: number;
	readonly account_id: AccountId;
	readonly external_id: string | null;
	readonly profile: string;
	readonly created_at: number;
}

export function directoryStore(knex: Knex) {
	const rows = () => knex<DirectoryRow>('portal_directory');
	return {
		async put(row: DirectoryRow): Promise<void> {
			await rows()
				.insert(row as never)
				.onConflict('user_id')
				.merge();
		},
		async find(userId: number): Promise<DirectoryRow | undefined> {
			return rows().where({ user_id: userId }).first();
		},
		async listByExternalId(accountId: AccountId, externalId: string): Promise<DirectoryRow[]> {
			return rows().where({ account_id: accountId, external_id: externalId }).orderBy('user_id').limit(10);
		},
		async list(accountId: AccountId, limit: number): Promise<DirectoryRow[]> {
			return rows().where({ account_id: accountId }).limit(limit);
		},
		async remove(userId: number): Promise<DirectoryRow[]> {
			return deleteRows(knex, rows().where({ user_id: userId }));
		},
	};
}
