// Raises an alarm for files that did not come by their time. It has a clock of its own, so it is raised whatever became of
// the route: it is paused, it is stopped, or its partner is down.

import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Audit } from '../../../trail/audit.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { type RouteRow, routeStore, routeSubject } from '../route-store.ts';
import { routeOf } from '../routes.ts';
import type { Teller } from '../runs/end-run.ts';
import { runStore } from '../runs/run-store.ts';
import { expectedTimes } from '../times/next-run-at.ts';

export interface AlarmParts {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly accounts: Pick<Identity['accounts'], 'findById'>;
	readonly clock: Clock;
	readonly teller: Teller;
}

const AT_ONCE = 500;

/** Raises and clears alarms; returns how many. Any daemon may run this, even two at once. */
export async function checkExpectations(parts: AlarmParts): Promise<{ raised: number; cleared: number }> {
	const now = parts.clock.now().getTime();
	const counts = { raised: 0, cleared: 0 };
	for (const row of await routeStore(parts.database.knex).listExpecting(now, AT_ONCE)) {
		const isDue = row.expect_at !== null && row.expect_at <= now;
		const outcome = isDue ? await checkDue(parts, row, now) : await checkRaised(parts, row, now);
		if (outcome !== undefined) counts[outcome] += 1;
	}
	return counts;
}

type Outcome = 'raised' | 'cleared' | undefined;

/** Looks at a time that has come: the alarm is raised if files are missing, once for each such time. */
async function checkDue(parts: AlarmParts, row: RouteRow, now: number): Promise<Outcome> {
	const { expect } = routeOf(row);
	if (!expect) return undefined;
	const dueAt = row.expect_at!;
	// Files that came late for the time before do not count for this one.
	const from = Math.max(expectedTimes(expect, new Date(dueAt - 1)).from, row.expect_from ?? 0);
	const came = await ledgerStore(parts.database.knex).countDelivered(row.id, from + 1, now);
	const isMissing = came < expect.files;
	const changes = {
		expect_at: expectedTimes(expect, new Date(Math.max(dueAt, now))).at,
		expect_from: isMissing ? from : dueAt,
		missing_since: isMissing ? (row.missing_since ?? now) : null,
	};
	const details = { expected: expect.files, came, by: new Date(dueAt).toISOString() };
	if (!isMissing && row.missing_since === null) {
		await routeStore(parts.database.knex).update(row.id, { expect_at: dueAt }, changes);
		return undefined;
	}
	const why = isMissing ? await whyMissing(parts.database, row) : undefined;
	return tell(parts, row, changes, isMissing ? 'raised' : 'cleared', { ...details, ...(why && { why }) });
}

/** Looks whether the files of a raised alarm have come meanwhile. */
async function checkRaised(parts: AlarmParts, row: RouteRow, now: number): Promise<Outcome> {
	const { expect } = routeOf(row);
	if (!expect) return undefined;
	const from = row.expect_from ?? 0;
	const came = await ledgerStore(parts.database.knex).countDelivered(row.id, from + 1, now);
	if (came < expect.files) return undefined;
	const by = new Date(expectedTimes(expect, new Date(from)).at).toISOString();
	const changes = { missing_since: null, expect_from: now };
	return tell(parts, row, changes, 'cleared', { expected: expect.files, came, by });
}

/** Changes the row, and tells of it if no other daemon did so first. */
async function tell(
	{ database, audit, accounts, teller }: AlarmParts,
	row: RouteRow,
	changes: Partial<RouteRow>,
	outcome: 'raised' | 'cleared',
	details: Readonly<Record<string, string | number>>,
): Promise<Outcome> {
	const userId = (await accounts.findById(row.account_id))?.userId ?? String(row.account_id);
	const action = outcome === 'raised' ? 'route.file_missing' : 'route.file_came';
	const isOurs = await transact(database, async (transaction) => {
		const expected = { expect_at: row.expect_at, missing_since: row.missing_since };
		if (!(await routeStore(transaction).update(row.id, expected, changes))) return false;
		await teller.tell(transaction, action, { accountId: row.account_id, userId, route: row.name, details });
		const entry = { actor: 'daemon', action, subject: routeSubject(userId, row.name), details };
		await audit.record({ ...entry, account: { within: row.account_id } }, transaction);
		return true;
	});
	return isOurs ? outcome : undefined;
}

async function whyMissing({ knex }: Database, row: RouteRow): Promise<string> {
	if (row.stopped_reason !== null) return `the route is stopped: ${row.stopped_reason}`;
	if (row.paused) return 'the route is paused';
	const [last] = await runStore(knex).list(row.id, { limit: 1 });
	if (last?.state === 'running') return 'a run is under way';
	if (last && last.state !== 'done')
		return `its last run ${last.state === 'failed' ? 'failed' : 'did not deliver all'}: ${last.reason ?? 'see its files'}`;
	if ((await ledgerStore(knex).findNextTry(row.id)) !== undefined) return 'files are waiting for another try';
	return last ? 'no such file was there' : 'the route has not run yet';
}
