import type { Knex } from 'knex';
import type { Dialect } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { queryRows, type SqlTransaction } from '../../../base/database/sql.ts';
import type { RowSeal, RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { Token } from '../../../vault/tokens/token.ts';

export interface FormRow extends RowSeal {
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly kind: string;
	readonly request_id: string | null;
	readonly options: string;
	readonly created_at: number;
	readonly expires_at: number;
}

/** A form, with the token that it has stored, or null if it has not stored any. */
export interface FoundForm extends FormRow {
	readonly token: Token | null;
}

/**
 * Returns methods for the table `card_forms` and for `form_results`, which has the tokens that forms have stored. Each
 * method runs a single SQL statement.
 */
export function formStore(knex: Knex, dialect: Dialect) {
	const isListed = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
	return {
		async insert(row: FormRow): Promise<void> {
			await knex('card_forms').insert(row);
		},
		/** Removes the forms of a card request but for those opened last. Forms that have stored a card stay. */
		async removeEarlier(accountId: AccountId, requestId: string, keep: number): Promise<void> {
			const own = () => knex('card_forms').where({ account_id: accountId, request_id: requestId });
			const last = await own().orderBy('created_at', 'desc').orderBy('hash').limit(keep).pluck('hash');
			if (last.length < keep) return;
			await own().whereNotIn('hash', last).whereNotIn('hash', knex('form_results').select('hash')).delete();
		},
		async listByHash(hashes: readonly string[]): Promise<FoundForm[]> {
			// All hashes are in one parameter, so that the text of the statement is the same for any number of them.
			return queryRows(
				knex,
				`select f.*, r.token from card_forms f left join form_results r on r.hash = f.hash where f.hash ${isListed}`,
				[(dialect === 'postgres' ? hashes : JSON.stringify(hashes)) as never],
			);
		},
		/** Call it before `removeExpired`, which removes the forms themselves. */
		async removeExpiredResults(before: number): Promise<void> {
			const expired = knex('card_forms').where('expires_at', '<', before).select('hash');
			await knex('form_results').whereIn('hash', expired).delete();
		},
		async removeExpired(before: number): Promise<number> {
			return knex('card_forms').where('expires_at', '<', before).delete();
		},
	};
}

/** Writes the results of any number of forms. Its text is always the same: all results are in one parameter. */
const NOTE_RESULTS = {
	sqlite: `insert into form_results (hash, token, stored_at)
		select value ->> 0, value ->> 1, ? from json_each(?) where true on conflict (hash) do nothing returning hash`,
	postgres: `insert into form_results (hash, token, stored_at)
		select value ->> 0, value ->> 1, ?::bigint from json_array_elements(?::json) as each(value)
		on conflict (hash) do nothing returning hash`,
} as const satisfies Record<Dialect, string>;

/**
 * Records the tokens that forms have stored, by the hashes of the forms, in the transaction that stores the cards.
 * Returns the hashes of forms for which another submission has stored a card before.
 */
export async function completeForms(
	transaction: SqlTransaction,
	{ dialect, tokens, now }: { dialect: Dialect; tokens: ReadonlyMap<string, Token>; now: number },
): Promise<ReadonlySet<string>> {
	// All daemons write rows in the same order, so that they cannot deadlock.
	const rows = [...tokens].sort(([a], [b]) => (a < b ? -1 : 1));
	const answer = await queryRows<{ hash: string }>(transaction, NOTE_RESULTS[dialect], [now, JSON.stringify(rows)]);
	const left = new Set(tokens.keys());
	for (const { hash } of answer) left.delete(hash);
	return left;
}

/** The seal of a form covers the account that gets its card, its options and its expiry, but not its result. */
export const sealedForms: RowShape = {
	table: 'card_forms',
	id: ['hash'],
	columns: ['account_id', 'owner_id', 'api_key_id', 'kind', 'request_id', 'options', 'created_at', 'expires_at'],
	freshness: {
		by: 'nothing',
		because:
			'it shows no card, and stores one for its own account until its end a few minutes later, which its seal covers',
	},
};
