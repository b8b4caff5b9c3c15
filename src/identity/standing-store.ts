import type { Knex } from 'knex';
import { type Dialect, rowsOf } from '../database/dialect.ts';

/** What a credential stands on, as it is now; one that is gone has no row. */
export interface StandingRow {
	readonly kind: 'api-key' | 'ssh-key';
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
}

const WITH_ACCOUNT = `
	join accounts account on account.id = credential.account_id
	left join accounts owner on owner.id = account.parent_id`;
const BLOCKS =
	'account.blocked_at, owner.blocked_at as owner_blocked_at, account.disabled_at, owner.disabled_at as owner_disabled_at';

export function standingStore(knex: Knex, dialect: Dialect) {
	const isAsked = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
	const idsOf = (ids: readonly number[]) => (dialect === 'postgres' ? ids : JSON.stringify(ids)) as never;
	return {
		/** One query, however many there are. */
		async find(apiKeyIds: readonly number[], sshKeyIds: readonly number[]): Promise<StandingRow[]> {
			const answer = await knex.raw(
				`select 'api-key' as kind, credential.id, credential.permissions, ends_at, revoked_at,
					valid_until, from_ranges, ${BLOCKS}
				from api_keys credential ${WITH_ACCOUNT} where credential.id ${isAsked}
				union all
				select 'ssh-key' as kind, credential.id, credential.permissions, null, null, null, from_ranges, ${BLOCKS}
				from ssh_keys credential ${WITH_ACCOUNT} where credential.id ${isAsked}`,
				[idsOf(apiKeyIds), idsOf(sshKeyIds)],
			);
			return rowsOf<StandingRow>(answer);
		},
	};
}
