// Tests, by the plans of SQLite, that lists of events, of runs and of the ledger of a route, of people and accounts read no
// more rows than they show, however many there are of other kinds and days.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { accountStore } from '../../src/people/identity/accounts/account-store.ts';
import { userStore } from '../../src/people/portal-users/user-store.ts';
import { deliveryStore } from '../../src/work/events/delivery-store.ts';
import { listEvents } from '../../src/work/events/history.ts';
import { listFiles, listRuns } from '../../src/work/routes/runs/history.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { openTestDatabase } from '../helpers/database.ts';

const ACCOUNT = 1 as AccountId;
const ROUTE = { id: '01jv6q8z6m4w2k0h9d3f7s5xas', name: 'nightly' };
const DAY = { fromMs: 1_767_225_600_000, toMs: 1_767_312_000_000 };
const PAGE = { limit: 51 };

test('lists of events, runs, ledgers, people and accounts are read along an index that has what is asked for in its order', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const { knex } = database;
	const asked: { sql: string; bindings: readonly unknown[] }[] = [];
	knex.on('query', ({ sql, bindings }) => void asked.push({ sql, bindings }));
	const planOf = async (list: () => Promise<unknown>): Promise<string> => {
		asked.splice(0);
		await list();
		const [{ sql, bindings }] = asked;
		const plan: { detail: string }[] = await knex.raw(`explain query plan ${sql}`, bindings as never);
		return plan.map(({ detail }) => detail).join('; ');
	};
	const events = (range: object) => planOf(() => listEvents(database, ACCOUNT, { ...PAGE, ...range }));
	t.is(await events({}), 'SEARCH events USING INDEX events_by_account (account_id=?)');
	t.is(await events({ type: 'job.done' }), 'SEARCH events USING INDEX events_by_type (account_id=? AND type=?)');
	t.is(await events(DAY), 'SEARCH events USING INDEX events_by_account (account_id=? AND id>? AND id<?)');
	t.is(
		await events({ ...DAY, type: 'job.done' }),
		'SEARCH events USING INDEX events_by_type (account_id=? AND type=? AND id>? AND id<?)',
	);

	t.is(
		await events({ ...DAY, after: 'evt_z' }),
		'SEARCH events USING INDEX events_by_account (account_id=? AND id>? AND id<?)',
	);
	const counted = (question: object) => planOf(() => deliveryStore(database).countEvents(ACCOUNT, question, 10));
	t.regex(await counted(DAY), /SEARCH events USING INDEX events_by_account \(account_id=\? AND id>\? AND id<\?\)/);
	t.regex(await counted({ type: 'job.done' }), /events_by_type \(account_id=\? AND type=\?\)/);

	const runs = (filter: object) => planOf(() => listRuns(database, ROUTE, { ...PAGE, ...filter }));
	t.is(await runs({}), 'SEARCH route_runs USING INDEX route_runs_by_route (route_id=?)');
	t.is(await runs({ state: 'failed' }), 'SEARCH route_runs USING INDEX route_runs_by_state (route_id=? AND state=?)');
	t.is(await runs(DAY), 'SEARCH route_runs USING INDEX route_runs_by_route (route_id=? AND id>? AND id<?)');

	const countedRuns = (question: object) => planOf(() => runStore(database.knex).count(ROUTE.id, question, 10));
	t.regex(await countedRuns(DAY), /route_runs_by_route \(route_id=\? AND id>\? AND id<\?\)/);
	t.regex(await countedRuns({ state: 'failed' }), /route_runs_by_state \(route_id=\? AND state=\?\)/);

	const files = (filter: object) => planOf(() => listFiles(database, ROUTE, { ...PAGE, ...filter }));
	t.is(await files({}), 'SEARCH route_files USING INDEX route_files_by_route (route_id=?)');
	t.is(await files({ after: 500 }), 'SEARCH route_files USING INDEX route_files_by_route (route_id=? AND id<?)');
	t.is(await files({ state: 'done' }), 'SEARCH route_files USING INDEX route_files_by_state (route_id=? AND state=?)');
	t.is(
		await files({ state: 'done', after: 500 }),
		'SEARCH route_files USING INDEX route_files_by_state (route_id=? AND state=? AND id<?)',
	);

	const children = (range: object) =>
		planOf(() => accountStore(knex).listChildren('sqlite', ACCOUNT, { ...PAGE, ...range }));
	const byParent = 'SEARCH accounts USING INDEX accounts_by_parent_and_user';
	t.is(await children({}), `${byParent} (parent_id=?)`);
	t.is(await children({ after: 'agency~desk' }), `${byParent} (parent_id=? AND user_id>?)`);
	t.is(await children({ before: 'agency~desk' }), `${byParent} (parent_id=? AND user_id<?)`);
	const people = (range: object) => planOf(() => userStore(knex).list(ACCOUNT, { ...PAGE, ...range }));
	t.is(await people({}), 'SEARCH portal_users USING INDEX portal_users_by_account (account_id=?)');
	t.is(
		await people({ before: 500 }),
		'SEARCH portal_users USING INDEX portal_users_by_account (account_id=? AND id<?)',
	);
	const accounts = (range: object) => planOf(() => accountStore(knex).listPage({ ...PAGE, ...range }));
	t.is(await accounts({ after: 500 }), 'SEARCH accounts USING INTEGER PRIMARY KEY (rowid>?)');
});
