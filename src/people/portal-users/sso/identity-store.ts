import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Seal } from '../../../base/keys/rows/row-seals.ts';
import type { AccountRole } from '../rights.ts';

/** Links a person at a provider to a user. */
export interface IdentityRow extends Seal {
	readonly id: string;
	readonly issuer: string;
	readonly subject: string;
	readonly user_id: number;
	readonly account_id: AccountId | null;
	/** The role that a rule has given because of a group; null if the person was invited. */
	readonly given_role: AccountRole | null;
	readonly created_at: number;
}

/** Returns a hash of the name of a person or session at a provider. The parts of no other pair give the same text. */
export function hashAtProvider(issuer: string, name: string): string {
	return createHash('sha256')
		.update(JSON.stringify([issuer, name]))
		.digest('hex');
}

export function identityStore(knex: Knex) {
	const identities = () => knex<IdentityRow>('portal_identities');
	return {
		/** @throws a unique violation if the person is linked already */
		async insert(row: IdentityRow): Promise<void> {
			await identities().insert(row as never);
		},
		async findById(id: string): Promise<IdentityRow | undefined> {
			return identities().where({ id }).first();
		},
		async change({ id, ...row }: Pick<IdentityRow, 'id'> & Partial<IdentityRow>): Promise<void> {
			await identities().where({ id }).update(row);
		},
		async listOf(userId: number): Promise<IdentityRow[]> {
			return identities().where({ user_id: userId }).orderBy('created_at').limit(100);
		},
		async removeOf(userId: number): Promise<IdentityRow[]> {
			return deleteRows(knex, identities().where({ user_id: userId }));
		},
	};
}
