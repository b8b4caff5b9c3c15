import type { Knex } from 'knex';
import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { Token } from '../vault/token.ts';

export interface FormRow {
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly kind: string;
	readonly request_id: string | null;
	readonly options: string;
	readonly created_at: number;
	readonly expires_at: number;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/** A form, with the token that it has stored. */
export interface FoundForm extends FormRow {
	readonly token: Token | null;
}

/** Each method is a single statement over `card_forms`, and over `form_results` beside it. */
export function formStore(knex: Knex, dialect: Dialect) {
	const isListed = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
	return {
		async insert(row: FormRow): Promise<void> {
			await knex('card_forms').insert(row);
		},
		async listByHash(hashes: readonly string[]): Promise<FoundForm[]> {
			// The statement is the same for any number of hashes, so knex has no list to write out.
			const answer = await knex.raw(
				`select f.*, r.token from card_forms f left join form_results r on r.hash = f.hash where f.hash ${isListed}`,
				[(dialect === 'postgres' ? hashes : JSON.stringify(hashes)) as never],
			);
			return rowsOf(answer);
		},
		/** Removes the results of forms that `removeExpired` would remove. */
		async removeExpiredResults(before: number): Promise<void> {
			const expired = knex('card_forms').where('expires_at', '<', before).select('hash');
			await knex('form_results').whereIn('hash', expired).delete();
		},
		async removeExpired(before: number): Promise<number> {
			return knex('card_forms').where('expires_at', '<', before).delete();
		},
	};
}

/** One statement writes the results of any number of forms, so that its text is always the same. */
const NOTE_RESULTS = {
	sqlite: `insert into form_results (hash, token, stored_at)
		select value ->> 0, value ->> 1, ? from json_each(?) where true on conflict (hash) do nothing returning hash`,
	postgres: `insert into form_results (hash, token, stored_at)
		select value ->> 0, value ->> 1, ?::bigint from json_array_elements(?::json) as each(value)
		on conflict (hash) do nothing returning hash`,
} as const satisfies Record<Dialect, string>;

/**
 * Notes the tokens of forms, by their hashes, inside the transaction that stores the cards; returns the hashes of the forms
 * for which another submission has stored one.
 */
export async function completeForms(
	transaction: PlainTransaction,
	{ dialect, tokens, now }: { dialect: Dialect; tokens: ReadonlyMap<string, Token>; now: number },
): Promise<ReadonlySet<string>> {
	// All daemons write in the same order, so that none waits for a row of another that waits for one of theirs.
	const rows = [...tokens].sort(([a], [b]) => (a < b ? -1 : 1));
	const answer = await transaction.raw(NOTE_RESULTS[dialect], [now, JSON.stringify(rows)]);
	const left = new Set(tokens.keys());
	for (const { hash } of rowsOf<{ hash: string }>(answer)) left.delete(hash);
	return left;
}
