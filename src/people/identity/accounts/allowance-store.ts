import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';
import { type Durability, execute, queryRows } from '../../../base/database/sql.ts';

/**
 * Names the two accounts of a call: the owner, which is the primary account and pays, and the account that makes the
 * call. Neither may be blocked.
 */
export interface Payer {
	readonly ownerId: AccountId;
	readonly accountId: AccountId;
	/** True if it is known that the owner has no limit and that neither account is blocked; see `Principal`. */
	readonly isUnmetered?: boolean;
}

/** Holds the limit and the used units of an account with a limit. */
export interface Usage {
	readonly limit: number;
	readonly used: number;
}

interface UsageRow {
	readonly allowance_limit: number | null;
	readonly allowance_used: number;
}

/** Finds the owner's row unless the owner or the calling account is blocked. The ids of both are bound. */
const UNBLOCKED = `id = ? and blocked_at is null
	and not exists (select 1 from accounts caller where caller.id = ? and caller.blocked_at is not null)`;
const HAS_LEFT_SQL = `select id from accounts where ${UNBLOCKED}
	and (allowance_limit is null or allowance_used < allowance_limit)`;
const USAGE_SQL = `select allowance_limit, allowance_used from accounts where ${UNBLOCKED}`;
const TAKE_SQL = `update accounts set allowance_used = allowance_used + ? where ${UNBLOCKED}
	and (allowance_limit is null or allowance_used + ? <= allowance_limit)`;
const ADD_SQL = `update accounts set
	allowance_used = case when allowance_used + ? < 0 then 0 else allowance_used + ? end where id = ?`;

/** Each method is a single statement that counts units. Each is atomic, so daemons need no other coordination. */
export function allowanceStore(knex: Knex) {
	return {
		/**
		 * Takes units if that many are left and the accounts are not blocked. Returns whether it took them. It does not wait
		 * for the disk: whatever the units are taken for is written later, so once that is durable, the units are taken too.
		 */
		async take({ ownerId, accountId }: Payer, units: number): Promise<boolean> {
			return (await execute(knex, TAKE_SQL, [units, ownerId, accountId, units], 'unsynced')) > 0;
		},
		/** Returns how many units are left: none for a blocked account, null without a limit. */
		async left({ ownerId, accountId }: Payer): Promise<number | null> {
			const [found] = await queryRows<UsageRow>(knex, USAGE_SQL, [ownerId, accountId]);
			if (found === undefined) return 0;
			const { allowance_limit: limit, allowance_used: used } = found;
			return limit === null ? null : Math.max(0, limit - used);
		},
		async hasLeft({ ownerId, accountId }: Payer): Promise<boolean> {
			return (await queryRows(knex, HAS_LEFT_SQL, [ownerId, accountId])).length > 0;
		},
		async listFullest(limit: number): Promise<{ account: string; share: number }[]> {
			const share = 'allowance_used * 1.0 / case when allowance_limit > 0 then allowance_limit else 1 end';
			const rows: { user_id: string; share: unknown }[] = await knex('accounts')
				.whereNull('parent_id')
				.whereNotNull('allowance_limit')
				.whereNull('disabled_at')
				.orderByRaw(`${share} desc, id`)
				.limit(limit)
				.select('user_id', knex.raw(`${share} as share`));
			return rows.map((row) => ({ account: row.user_id, share: Number(row.share) }));
		},
		/** Lists accounts with an endpoint for events that have used so many per cent of their allowance, and are not blocked. */
		async listToldFrom(percent: number): Promise<(Usage & { readonly id: AccountId })[]> {
			const sql = `select id, allowance_limit as "limit", allowance_used as used from accounts
				where parent_id is null and blocked_at is null and allowance_limit > 0 and allowance_used * 100 >= allowance_limit * ?
				and exists (select 1 from event_endpoints e where e.account_id = accounts.id)`;
			return queryRows(knex, sql, [percent]);
		},
		async findUsage(ownerId: AccountId): Promise<Usage | undefined> {
			const sql = 'select allowance_limit, allowance_used from accounts where id = ?';
			const [row] = await queryRows<UsageRow>(knex, sql, [ownerId]);
			if (!row || row.allowance_limit === null) return undefined;
			return { limit: row.allowance_limit, used: row.allowance_used };
		},
		/**
		 * Adds to the used units, even beyond the limit. A negative number gives units back, but never below zero. With
		 * `unsynced` it does not wait for the disk.
		 */
		async add(ownerId: AccountId, units: number, durability: Durability = 'durable'): Promise<void> {
			await execute(knex, ADD_SQL, [units, units, ownerId], durability);
		},
		/** Lists accounts with used units that are not in the statistics yet, each with the number of these units. */
		async listUncounted(limit: number): Promise<{ id: AccountId; units: number }[]> {
			return knex('accounts')
				.whereRaw('allowance_used <> allowance_counted')
				.orderBy('id')
				.limit(limit)
				.select('id', knex.raw('allowance_used - allowance_counted as units'));
		},
		/** Increases the number of those used units of an account that are already included in the statistics. */
		async addCounted(id: AccountId, units: number): Promise<void> {
			await knex('accounts').where({ id }).increment('allowance_counted', units);
		},
		async blockExceeded(ownerId: AccountId, at: number): Promise<boolean> {
			const blocked = await knex('accounts')
				.where({ id: ownerId })
				.whereNull('blocked_at')
				.whereRaw('allowance_used >= allowance_limit')
				.update({ blocked_at: at });
			return blocked > 0;
		},
	};
}
