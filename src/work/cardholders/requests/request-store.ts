import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import { countUpTo, keepMadeWithin, type ListPage, readListPage } from '../../../base/database/list-page.ts';
import { queryRows, type SqlTransaction } from '../../../base/database/sql.ts';
import type { RowShape, Seal } from '../../../base/keys/rows/row-seals.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { CardRequestKind, CardRequestState, RequestQuestion } from './card-request.ts';

export interface CardRequestRow extends Seal {
	readonly id: string;
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly sender_id: string;
	readonly kind: CardRequestKind;
	readonly reference: string;
	readonly card_token: Token | null;
	readonly result_token: Token | null;
	readonly require_cvv: boolean | number | null;
	readonly card_types: string | null;
	readonly language: string | null;
	readonly state: CardRequestState;
	readonly created_at: number;
	readonly expires_at: number;
	readonly ended_at: number | null;
	readonly reminded_at: number | null;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
}

/** The seal covers everything that decides into which account a card goes. */
export const sealedCardRequests: RowShape = {
	table: 'card_requests',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'sender_id', 'kind', 'reference', 'card_token'],
		...['require_cvv', 'card_types', 'language', 'created_at', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'ended_at', until: 'expires_at' },
};

/** Declares the table and columns with the sealed parts of requests, so that they can be sealed again under a new key. */
export const sealedRequestParts: SealedRows = {
	table: 'card_requests',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => Buffer.from(`tokendrop card request ${id}/${keyId}`),
};

export function requestStore(knex: Knex) {
	const rows = () => knex<CardRequestRow>('card_requests');
	const selected = (ownerId: AccountId, { state, ...period }: RequestQuestion) => {
		const query = rows().where({ owner_id: ownerId });
		if (state !== undefined) void query.andWhere({ state });
		keepMadeWithin(query, period);
		return query;
	};
	const waiting = (id: string) => knex('card_requests').where({ id }).whereNull('ended_at');
	return {
		async insert(row: CardRequestRow): Promise<void> {
			await knex('card_requests').insert(row);
		},
		async find(id: string): Promise<CardRequestRow | undefined> {
			return rows().where({ id }).first();
		},
		async findByHash(hashes: readonly string[]): Promise<CardRequestRow | undefined> {
			return rows()
				.whereIn('hash', hashes as string[])
				.first();
		},
		async list(ownerId: AccountId, question: RequestQuestion, page: ListPage<string>): Promise<CardRequestRow[]> {
			return readListPage(selected(ownerId, question), 'id', page);
		},
		async count(ownerId: AccountId, question: RequestQuestion, most: number): Promise<number> {
			return countUpTo(knex, selected(ownerId, question), most);
		},
		/** Moves an open request from one of the states `from` to `state`; returns false if it is in none of them. */
		async move(id: string, from: readonly CardRequestState[], state: CardRequestState): Promise<boolean> {
			return (await waiting(id).whereIn('state', from).update({ state })) === 1;
		},
		async end(id: string, state: CardRequestState, now: number): Promise<boolean> {
			return (await waiting(id).update({ state, ended_at: now })) === 1;
		},
		async listExpired(now: number, limit: number): Promise<CardRequestRow[]> {
			return rows().whereNull('ended_at').where('expires_at', '<=', now).orderBy('expires_at').limit(limit);
		},
		/**
		 * Returns open requests that were created before a given time, whose mail was sent or whose page was viewed, and
		 * whose cardholder has not been reminded yet.
		 */
		async listUnanswered(
			{ createdBefore, now }: { createdBefore: number; now: number },
			limit: number,
		): Promise<CardRequestRow[]> {
			const query = rows().whereNull('ended_at').whereNull('reminded_at').where('expires_at', '>', now);
			return query
				.where('created_at', '<=', createdBefore)
				.whereIn('state', ['MessageSent', 'FormViewed', 'StoreFailed'])
				.orderBy('created_at')
				.limit(limit);
		},
		/** Records a reminder; returns false if another daemon was faster or the request has ended. */
		async noteReminder(id: string, now: number): Promise<boolean> {
			return (await waiting(id).whereNull('reminded_at').update({ reminded_at: now })) === 1;
		},
		async countOpen(until: number): Promise<number> {
			const query = knex('card_requests').whereNull('ended_at').where('created_at', '<=', until);
			const [{ count }] = await query.count({ count: '*' });
			return Number(count);
		},
		async removeEnded(before: number): Promise<number> {
			return knex('card_requests').where('ended_at', '<', before).delete();
		},
	};
}

/** What is told of a request that was completed, and what ends its seal. */
export type CompletedRow = Pick<CardRequestRow, 'id' | 'expires_at' | 'account_id' | 'kind' | 'reference'>;

/**
 * Completes a request in the transaction that stores its card. Returns undefined if the request has ended or expired. So
 * if two answers to a request arrive, only the first is stored.
 */
export async function completeIn(
	transaction: SqlTransaction,
	{ id, token, now }: { readonly id: string; readonly token: Token; readonly now: number },
): Promise<CompletedRow | undefined> {
	const answer = await queryRows<CompletedRow>(
		transaction,
		`update card_requests set state = 'CardStored', result_token = ?, ended_at = ?
		 where id = ? and ended_at is null and expires_at > ? returning id, expires_at, account_id, kind, reference`,
		[token, now, id, now],
	);
	return answer[0];
}
