import type { Knex } from 'knex';
import { type Dialect, isOneOf } from '../../../base/database/dialect.ts';
import { queryRows } from '../../../base/database/sql.ts';
import type { CredentialKind, SealedColumns } from '../credentials/credential-guard.ts';
import { guardedColumns } from './guarded-columns.ts';

/** Holds the current state of a credential. A credential that no longer exists has no row. */
export interface StandingRow extends SealedColumns {
	readonly kind: CredentialKind;
	readonly id: number;
	readonly permissions: string;
	readonly ends_at: number | null;
	readonly revoked_at: number | null;
	readonly valid_until: number | null;
	readonly from_ranges: string | null;
	readonly disabled_at: number | null;
	readonly owner_disabled_at: number | null;
	readonly blocked_at: number | null;
	readonly owner_blocked_at: number | null;
	readonly isAltered?: boolean;
}

const WITH_ACCOUNT = `
	join accounts account on account.id = credential.account_id
	left join accounts owner on owner.id = account.parent_id`;
const BLOCKS =
	'account.blocked_at, owner.blocked_at as owner_blocked_at, account.disabled_at, owner.disabled_at as owner_disabled_at';
const NEVER_ENDS = 'null as ends_at, null as revoked_at, null as valid_until';

export function standingStore(knex: Knex, dialect: Dialect) {
	const findOf = async (kind: CredentialKind, table: string, ends: string, ids: readonly number[]) => {
		if (ids.length === 0) return [];
		const [isAsked, asked] = isOneOf(dialect, ids);
		const sql = `select '${kind}' as kind, credential.id, credential.permissions, ${ends}, from_ranges, ${BLOCKS},
			${guardedColumns(kind, 'credential').join(', ')}
			from ${table} credential ${WITH_ACCOUNT} where credential.id ${isAsked}`;
		return queryRows<StandingRow>(knex, sql, [asked]);
	};
	return {
		/** Finds the state of credentials with one query for API keys and one for SSH keys, however many there are. */
		async find(apiKeyIds: readonly number[], sshKeyIds: readonly number[]): Promise<StandingRow[]> {
			const apiKeys = await findOf('api-key', 'api_keys', 'ends_at, revoked_at, valid_until', apiKeyIds);
			return [...apiKeys, ...(await findOf('ssh-key', 'ssh_keys', NEVER_ENDS, sshKeyIds))];
		},
	};
}
