import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { CardRequestState } from '../cardholders/requests/card-request.ts';
import { SPANS, startOf } from '../statistics/periods.ts';
import type { ALL_ACCOUNTS } from '../statistics/statistics-store.ts';

/** The kinds of things whose changes are looked for. */
export const CHANGE_KINDS = ['jobs', 'uploads', 'requests', 'counts', 'routes', 'events'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Whose things are looked at: an account's, or what is counted for all accounts together. */
export type ChangeOwner = AccountId | typeof ALL_ACCOUNTS;

/** A request moves on from these states only. */
const OPEN_STATES: readonly CardRequestState[] = [
	...(['MessageQueued', 'MessageSent', 'MessageFailed', 'FormViewed', 'StoreFailed'] as const),
];
/** At most this many rows of one state are looked at for an account. A list shows fewer on its first page. */
const MOST_ROWS = 100;

/**
 * The mark of an owner as an expression of SQL, for each kind. It is another text after every change that a page shows, and
 * each part of it is found by an index, without reading rows of what has ended.
 *
 * A job gets on by being queued, running, and queued no more, so the queued and the running ones tell of every step, and
 * the greatest number of every new job.
 */
const MARKS: Readonly<Record<ChangeKind, string>> = {
	jobs: `${only('max(seq)', 'jobs where account_id = owner')} || '/' ||
		${only(
			`count(*) || ',' || coalesce(sum(seq), 0) || ',' || coalesce(sum(next_run_at), 0)`,
			`(select seq, next_run_at from jobs where account_id = owner and state = 'queued' order by seq limit ${MOST_ROWS}) queued`,
		)} || '/' ||
		${only(
			`count(*) || ',' || coalesce(sum(seq), 0) || ',' || coalesce(sum(attempts), 0) || ',' || coalesce(sum(bytes_read), 0)`,
			`jobs where account_id = owner and state = 'running'`,
		)}`,
	uploads: only(
		`count(*) || ',' || coalesce(sum(id), 0) || ',' || coalesce(max(modified_at), 0)`,
		`drop_files where account_id = owner and state = 'partial'`,
	),
	requests: [
		only('max(id)', 'card_requests where owner_id = owner'),
		...OPEN_STATES.map((state) =>
			only(
				`count(*) || ',' || coalesce(min(id), '') || ',' || coalesce(max(id), '')`,
				`(select id from card_requests where owner_id = owner and state = '${state}' order by id desc limit ${MOST_ROWS}) newest`,
			),
		),
	].join(` || '/' || `),
	routes: `${only(
		`count(*) || ',' || coalesce(sum(updated_at), 0) || ',' || coalesce(sum(last_run_at), 0) || ',' ||
			coalesce(sum(next_run_at), 0) || ',' || count(stopped_reason) || ',' || count(missing_since) || ',' ||
			count(case when paused then 1 end)`,
		'routes where account_id = owner',
	)} || '/' ||
		${only(
			`count(distinct running.id) || ',' || count(f.run_id)`,
			`routes r join route_runs running on running.route_id = r.id and running.state = 'running'
				left join route_run_files f on f.run_id = running.id where r.account_id = owner`,
		)} || '/' ||
		${only('count(*)', `routes r join route_files f on f.route_id = r.id and f.state = 'dead' where r.account_id = owner`)} || '/' ||
		${only('sum(f.next_try_at)', `routes r join route_files f on f.route_id = r.id and f.state = 'claimed' where r.account_id = owner`)}`,
	events: `${only('max(id)', 'events where account_id = owner')} || '/' ||
		${only(
			`coalesce(sum(updated_at), 0) || ',' || count(disabled_at) || ',' || count(failing_since) || ',' || count(rest_until)`,
			'event_endpoints where account_id = owner',
		)} || '/' ||
		${only(
			`count(*) || ',' || coalesce(max(id), 0) || ',' || coalesce(sum(tries), 0)`,
			`(select d.id, d.tries from event_endpoints e join event_deliveries d
				on d.endpoint_id = e.id and d.state = 'waiting' where e.account_id = owner limit ${MOST_ROWS}) queued`,
		)}`,
	counts: only('sum(count)', `statistics where span = ${SPANS.hour} and at = ? and account_id = owner`),
};

function only(value: string, rows: string): string {
	return `coalesce((select cast(${value} as text) from ${rows}), '')`;
}

export function changeStore(knex: Knex) {
	return {
		/** Returns the mark of each owner. It is another one if anything of this kind has changed since. */
		async marks(kind: ChangeKind, owners: readonly ChangeOwner[], nowMs: number) {
			const values = ['(cast(? as bigint))', ...owners.slice(1).map(() => '(?)')];
			const sql = `with watched (owner) as (values ${values}) select owner, ${MARKS[kind]} as mark from watched`;
			const times = kind === 'counts' ? [startOf(SPANS.hour, nowMs)] : [];
			const rows = await queryRows<{ owner: ChangeOwner; mark: string }>(knex, sql, [...owners, ...times]);
			const hour = times.join();
			return new Map(rows.map(({ owner, mark }) => [owner, `${hour} ${mark}`]));
		},
	};
}
