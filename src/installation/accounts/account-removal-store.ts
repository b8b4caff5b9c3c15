// Removes the data of a deleted account from every table, step by step: each call is one short transaction or
// statement.

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { SIDE_TABLES } from '../../vault/pages/page-store.ts';

/** The rows of these tables belong to the account alone and go in one statement. The journal of payments stays. */
const OF_ACCOUNT = [
	...(['format_options', 'relay_profiles', 'destinations', 'gateway_credentials', 'idempotency_keys'] as const),
	...(['wallet_sessions', 'elimination_limits', 'session_tokens', 'api_keys', 'ssh_keys'] as const),
	...(['call_log', 'allowed_addresses', 'origins', 'card_forms', 'form_styles'] as const),
	...(['portal_links', 'portal_totp', 'portal_passkeys', 'portal_recovery_codes'] as const),
	...(['portal_sessions', 'portal_logins', 'portal_identities', 'portal_directory', 'portal_users'] as const),
	...(['portal_groups', 'portal_memberships'] as const),
	...(['card_requests', 'card_views', 'mails', 'mail_counts', 'mail_styles', 'statistics'] as const),
	...(['routes', 'route_runs', 'pgp_keys'] as const),
	...(['event_deliveries', 'events', 'event_endpoints'] as const),
] as const;

/** Lists every table from which rows of a deleted account are removed. */
export const EMPTIED_TABLES: readonly string[] = [
	...OF_ACCOUNT,
	...SIDE_TABLES,
	...['pages', 'drop_files', 'jobs', 'elimination_attempts', 'form_results', 'keys', 'route_files', 'route_run_files'],
];

export interface RemovedFile {
	readonly id: number;
	readonly blob_id: string;
}

export function accountRemovalStore(database: Database) {
	const { knex } = database;
	return {
		async listChildren(id: AccountId): Promise<AccountId[]> {
			return knex('accounts').where({ parent_id: id }).pluck('id');
		},
		/** Removes some pages of an account, with all rows that belong to them; returns how many cards they held. */
		async removePages(accountId: AccountId, limit: number): Promise<{ pages: number; cards: number }> {
			return transact(database, async (transaction) => {
				const rows = await transaction('pages')
					.where({ account_id: accountId })
					.orderBy('id')
					.limit(limit)
					.select('id', 'live');
				const ids = rows.map(({ id }) => id);
				// The pages come first. Whoever adds a row beside a record locks its page, so no row can be added after this.
				await transaction('pages').whereIn('id', ids).delete();
				for (const table of SIDE_TABLES) await transaction(table).whereIn('page_id', ids).delete();
				return { pages: ids.length, cards: rows.reduce((sum, { live }) => sum + live, 0) };
			});
		},
		async removeFiles(accountId: AccountId, now: number, limit: number): Promise<RemovedFile[]> {
			return transact(database, async (transaction) => {
				const query = transaction('drop_files').where({ account_id: accountId }).orderBy('id').limit(limit);
				query.andWhere((or) =>
					or.whereNot('state', 'receiving').orWhereNull('held_until').orWhere('held_until', '<', now),
				);
				const files: RemovedFile[] = await query.andWhere((or) => notRunning(or)).select('id', 'blob_id');
				const ids = files.map(({ id }) => id);
				await transaction('drop_files').whereIn('id', ids).delete();
				return files;
			});
		},
		/** Removes some jobs of an account that do not run. What unfinished attempts wrote is removed with the pages. */
		async removeJobs(accountId: AccountId, limit: number): Promise<number> {
			return transact(database, async (transaction) => {
				const query = transaction('jobs').where({ account_id: accountId }).whereNot('state', 'running').limit(limit);
				const ids: string[] = await query.pluck('id');
				for (const table of ['job_fetches', 'page_blocks']) await transaction(table).whereIn('job_id', ids).delete();
				await transaction('jobs').whereIn('id', ids).delete();
				return ids.length;
			});
		},
		async removeRows(accountId: AccountId): Promise<Record<string, number>> {
			return transact(database, async (transaction) => {
				await transaction('associations').where({ merchant_id: accountId }).delete();
				const removed: Record<string, number> = {};
				const forms = transaction('card_forms').where({ account_id: accountId }).select('hash');
				await transaction('form_results').whereIn('hash', forms).delete();
				const routes = transaction('routes').where({ account_id: accountId }).select('id');
				await transaction('route_files').whereIn('route_id', routes).delete();
				const runs = transaction('route_runs').where({ account_id: accountId }).select('id');
				await transaction('route_run_files').whereIn('run_id', runs).delete();
				for (const table of OF_ACCOUNT)
					removed[table] = await transaction(table).where({ account_id: accountId }).delete();
				await transaction('elimination_attempts').where({ account_id: accountId }).delete();
				return removed;
			});
		},
		/** Removes the keys of an account, so that its data in backups can no longer be opened. */
		async removeKeys(transaction: Knex.Transaction, accountId: AccountId): Promise<number> {
			return transaction('keys').where({ account_id: accountId }).delete();
		},
		/** Tells whether the account has nothing left that another process may still be working on. */
		async isEmpty(accountId: AccountId): Promise<boolean> {
			for (const table of ['jobs', 'drop_files', 'pages']) {
				if ((await knex(table).where({ account_id: accountId }).first('id')) !== undefined) return false;
			}
			return true;
		},
	};
}

/** Leaves out the inputs of running jobs, which stay until those jobs have ended. */
function notRunning(query: Knex.QueryBuilder): void {
	query.whereNull('job_id').orWhereNotExists(function running() {
		this.select('id').from('jobs').whereRaw('jobs.id = drop_files.job_id').where('jobs.state', 'running');
	});
}
