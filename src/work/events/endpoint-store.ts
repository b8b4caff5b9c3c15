import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import { execute } from '../../base/database/sql.ts';
import type { WhyColumns } from '../../base/failures.ts';
import type { RowSeal, RowShape } from '../../base/keys/rows/row-seals.ts';
import { secretsIn } from '../../base/keys/rows/sealed-rows.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';

export interface EndpointRow extends RowSeal {
	readonly account_id: AccountId;
	readonly name: string;
	readonly id: string;
	readonly kind: 'webhook' | 'mail';
	/** The URL or the mail address. */
	readonly target: string;
	readonly types: string | null;
	readonly key_id: KeyId | null;
	readonly sealed: Buffer | null;
	readonly disabled_at: number | null;
	readonly disabled_reason: string | null;
	/** The reason as a code with parameters, in JSON; null also where an earlier version has disabled it. */
	readonly told: string | null;
	readonly failing_since: number | null;
	readonly rest_until: number | null;
	readonly created_at: number;
	readonly updated_at: number;
}

/** `rest_until` of an endpoint that somebody has paused. */
export const PAUSED_UNTIL_MS = Number.MAX_SAFE_INTEGER;

export function endpointStore(knex: Knex) {
	const rows = namedRows<EndpointRow>(knex, 'event_endpoints', 'name');
	return {
		find: rows.find,
		async findById(id: string): Promise<EndpointRow | undefined> {
			return knex('event_endpoints').where({ id }).first();
		},
		list: rows.list,
		/** Replaces the endpoint with the same name; its id and creation time stay. */
		put: (row: EndpointRow) => rows.put(row, ['created_at', 'id']),
		remove: rows.remove,
		async disable(id: string, atMs: number, { reason, told }: WhyColumns): Promise<boolean> {
			const sql = `update event_endpoints set disabled_at = ?, disabled_reason = ?, told = ?
				where id = ? and disabled_at is null`;
			return (await execute(knex, sql, [atMs, reason, told, id])) > 0;
		},
		async noteSuccess(id: string): Promise<void> {
			const sql = 'update event_endpoints set failing_since = null where id = ? and failing_since is not null';
			await execute(knex, sql, [id]);
		},
		async noteFailure(id: string, atMs: number): Promise<void> {
			const sql = 'update event_endpoints set failing_since = ? where id = ? and failing_since is null';
			await execute(knex, sql, [atMs, id]);
		},
		/** Sends nothing until a time. An endpoint that is paused stays so. */
		async rest(id: string, untilMs: number): Promise<void> {
			const sql = 'update event_endpoints set rest_until = ? where id = ? and (rest_until is null or rest_until < ?)';
			await execute(knex, sql, [untilMs, id, PAUSED_UNTIL_MS]);
		},
		/** Lets events wait until somebody resumes the endpoint; null resumes it. Returns whether that changes something. */
		async pause(id: string, untilMs: typeof PAUSED_UNTIL_MS | null): Promise<boolean> {
			const isPaused = `coalesce(rest_until, 0) = ${PAUSED_UNTIL_MS}`;
			const sql = `update event_endpoints set rest_until = ? where id = ? and ${untilMs === null ? isPaused : `not ${isPaused}`}`;
			return (await execute(knex, sql, [untilMs, id])) > 0;
		},
	};
}

/** An endpoint decides who gets to know what happens in an account. */
export const sealedEventEndpoints: RowShape = {
	table: 'event_endpoints',
	id: ['account_id', 'name'],
	columns: ['id', 'kind', 'target', 'types', 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

/** Names the table and columns with the secrets of endpoints, so that they can be sealed again under a new key. */
export const sealedEventSecrets = secretsIn(sealedEventEndpoints, ({ account_id, name }) =>
	Buffer.from(`tokendrop event endpoint ${account_id}/${name}`),
);
