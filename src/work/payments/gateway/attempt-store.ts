import type { Knex } from 'knex';
import { type Dialect, forUpdateClause, isUniqueViolation } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import { countUpTo, keepMadeWithin, type ListPage, readFrom, readListPage } from '../../../base/database/list-page.ts';
import { execute } from '../../../base/database/sql.ts';
import type { Operation, Result } from './operation.ts';

/**
 * Tells the state of an attempt. `sent` is written before anything is sent. If the daemon dies, the attempt becomes
 * `unknown` when its lease ends.
 */
export type AttemptState = 'sent' | 'approved' | 'declined' | 'failed' | 'unknown';

export interface AttemptRow {
	readonly id: string;
	readonly account_id: AccountId;
	readonly user_id: string;
	readonly operation: Operation;
	readonly gateway: string;
	readonly credentials_id: string | null;
	readonly amount_minor: number | null;
	readonly currency: string | null;
	readonly my_ref: string | null;
	readonly token: string | null;
	readonly masked_number: string | null;
	readonly original_reference: string | null;
	readonly idempotency_key: string;
	readonly caller_key_hash: string | null;
	readonly state: AttemptState;
	readonly result: Result | null;
	readonly description: string | null;
	readonly gateway_reference: string | null;
	readonly gateway_result_code: string | null;
	readonly gateway_result_description: string | null;
	readonly authorization_code: string | null;
	readonly key_id: KeyId | null;
	readonly sealed_credentials: Buffer | null;
	readonly created_at: number;
	readonly settled_at: number | null;
	readonly due_at: number | null;
	readonly queries: number;
}

export interface AttemptQuery {
	readonly myRef?: string;
	readonly gatewayReference?: string;
	readonly gateway?: string;
	readonly from: number;
	readonly num: number;
}

/** Selects attempts that fit everything that is given. */
export interface JournalQuestion {
	readonly state?: AttemptState;
	/** The whole reference of the caller. */
	readonly myRef?: string;
	/** The whole reference of the gateway for a payment: what began it, and everything done about it. */
	readonly gatewayReference?: string;
	/** Selects the attempts that began from this moment on, and before that one, in milliseconds since 1970. */
	readonly fromMs?: number;
	readonly toMs?: number;
}

const OPEN_STATES: AttemptState[] = ['sent', 'unknown'];

export function attemptStore(knex: Knex) {
	const rows = () => knex<AttemptRow>('gateway_attempts');
	/**
	 * Keeps what began a payment, and everything done about it. Their ids are read along two indexes: for one of two columns
	 * SQLite would read all attempts of the account, because that gives the order.
	 */
	const keepPayment = (query: Knex.QueryBuilder, accountId: AccountId, reference: string) => {
		const idsBy = (column: 'gateway_reference' | 'original_reference') =>
			rows()
				.where({ account_id: accountId, [column]: reference })
				.select('id');
		void query.whereIn('id', idsBy('gateway_reference').unionAll(idsBy('original_reference')));
	};
	const newest = (accountId: AccountId, { state, myRef, gatewayReference, ...period }: JournalQuestion) => {
		const query = rows().where({ account_id: accountId });
		if (state !== undefined) void query.andWhere({ state });
		if (myRef !== undefined) void query.andWhere({ my_ref: myRef });
		if (gatewayReference !== undefined) keepPayment(query, accountId, gatewayReference);
		keepMadeWithin(query, period);
		return query;
	};
	return {
		/** Inserts an attempt; returns false if there is already one under the caller's idempotency key. */
		async insert(row: AttemptRow): Promise<boolean> {
			try {
				await knex('gateway_attempts').insert(row);
				return true;
			} catch (error) {
				if (isUniqueViolation(error)) return false;
				throw error;
			}
		},
		async find(accountId: AccountId, id: string): Promise<AttemptRow | undefined> {
			return rows().where({ account_id: accountId, id }).first();
		},
		async findByCallerKey(accountId: AccountId, hashes: readonly string[]): Promise<AttemptRow | undefined> {
			return rows()
				.where({ account_id: accountId })
				.whereIn('caller_key_hash', hashes as string[])
				.first();
		},
		/** Frees the caller's idempotency key for another attempt. This one is still found by its id and references. */
		async forgetCallerKey(id: string): Promise<void> {
			await rows().where({ id }).update({ caller_key_hash: null });
		},
		/** Lists attempts, newest last. */
		async list(
			accountId: AccountId,
			{ myRef, gatewayReference, gateway, from, num }: AttemptQuery,
		): Promise<AttemptRow[]> {
			const query = rows().where({ account_id: accountId });
			if (myRef !== undefined) void query.andWhere({ my_ref: myRef });
			if (gateway !== undefined) void query.andWhere({ gateway });
			if (gatewayReference !== undefined) keepPayment(query, accountId, gatewayReference);
			const asked = { offset: from, limit: num, order: 'asc' } as const;
			return readFrom<AttemptRow>(knex, { table: 'gateway_attempts', key: 'id', query }, asked);
		},
		async listNewest(accountId: AccountId, question: JournalQuestion, page: ListPage<string>): Promise<AttemptRow[]> {
			return readListPage(newest(accountId, question), 'id', page);
		},
		async countNewest(accountId: AccountId, question: JournalQuestion, most: number): Promise<number> {
			return countUpTo(knex, newest(accountId, question), most);
		},
		/** Finds the approved attempt by which a payment began. */
		async findBeginning(accountId: AccountId, gateway: string, reference: string): Promise<AttemptRow | undefined> {
			return rows()
				.where({ account_id: accountId, gateway, gateway_reference: reference, state: 'approved' })
				.whereIn('operation', ['PreAuth', 'Charge'])
				.orderBy('id')
				.first();
		},
		/** Locks the attempt that began a payment, so that nobody else records anything about it meanwhile. */
		async lock(id: string, dialect: Dialect): Promise<void> {
			await execute(knex, `select id from gateway_attempts where id = ? ${forUpdateClause(dialect)}`, [id]);
		},
		/** Sums up the amounts that were approved for a payment since it began, by operation. */
		async sumsSince(accountId: AccountId, gateway: string, reference: string): Promise<Map<Operation, number>> {
			const sums = await knex('gateway_attempts')
				.where({ account_id: accountId, gateway, original_reference: reference, state: 'approved' })
				.groupBy('operation')
				.select('operation')
				.sum({ total: 'amount_minor' });
			return new Map(
				(sums as { operation: Operation; total: unknown }[]).map(({ operation, total }) => [
					operation,
					Number(total ?? 0),
				]),
			);
		},
		/** Changes an attempt whose outcome is unknown; returns false if another process has recorded the outcome. */
		async changeOpen(id: string, changes: Partial<AttemptRow>): Promise<boolean> {
			return (await knex('gateway_attempts').where({ id }).whereIn('state', OPEN_STATES).update(changes)) === 1;
		},
		/** Lists the attempts whose outcome is due to be queried, those waiting longest first. */
		async listDue(now: number, limit: number): Promise<AttemptRow[]> {
			const due = rows().whereNotNull('due_at').andWhere('due_at', '<=', now);
			return (await due.orderBy('due_at').limit(limit)) as AttemptRow[];
		},
	};
}
