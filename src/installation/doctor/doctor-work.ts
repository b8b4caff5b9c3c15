// Checks the work of an installation: whether a daemon says that it runs, what waits, what failed last, and which
// addresses are banned.

import type { Database } from '../../base/database/open.ts';
import { scoreStore } from '../../base/defender/score-store.ts';
import { isSendersMatter } from '../../base/errors.ts';
import { why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type Check, check, type Finding, ok } from '../../people/operators/finding.ts';
import { listNewestJobs } from '../../work/jobs/job-page-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import { queueStore } from '../../work/jobs/queue/queue-store.ts';
import { scheduleStore } from '../../work/jobs/schedule-store.ts';
import { listMissing } from '../../work/routes/uses.ts';
import { daemonStore } from '../daemons/daemon-store.ts';
import { listRunning } from '../daemons/heartbeat.ts';
import { PAGE_CHECK } from './page-check.ts';

const WAITS_LONG_MS = 5 * 60_000;
/** Payment pages are compared at least weekly; a day more is for a daemon that did not run. */
const PAGES_CHECKED_MS = 8 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const MOST_SHOWN = 5;
const MOST_COUNTED = 100_000;

/** Returns the finding for files that failed for what their senders did. The installation is well all the same. */
function sendersFinding(counts: readonly { readonly userId: string | null; readonly jobs: number }[]): Finding {
	const byUser = Map.groupBy(counts, ({ userId }) => userId ?? 'the command line');
	const sums = [...byUser].map(([user, rows]) => `${rows.reduce((sum, { jobs }) => sum + jobs, 0)} of ${user}`);
	const more = sums.length > MOST_SHOWN ? ` and of ${sums.length - MOST_SHOWN} more` : '';
	const says = `files failed within a day for what was in them or asked with them: ${sums.slice(0, MOST_SHOWN).join(', ')}${more}`;
	return ok('failures', why(`${says}; their senders have reports`, 'senders-told'));
}

export function workChecks(
	{ database, keyRing }: { database: Database; keyRing: Pick<KeyRing, 'seals'> },
	{ integrity }: Pick<Settings, 'integrity'>,
	now: () => Date,
): Check[] {
	const { knex, dialect } = database;
	const nowMs = () => now().getTime();
	const ago = (ms: number) => `${Math.max(0, Math.round((nowMs() - ms) / 1000))} s ago`;
	return [
		check('daemon', async ({ ok, problem, warning }) => {
			const todo = 'start it: `npm start`, or the unit or container it runs in; then look at its log';
			const running = await listRunning(database, nowMs());
			if (running.length > 0) {
				const named = running.slice(0, MOST_SHOWN).map(({ id, version }) => `${id} (${version})`);
				const more = running.length > MOST_SHOWN ? ` and ${running.length - MOST_SHOWN} more` : '';
				const says = `at work: ${named.join(', ')}${more}; the last sign came ${ago(running[0].seen_at)}`;
				return ok(why(says, 'daemon-runs'));
			}
			const last = await daemonStore(knex).findLast();
			if (last === undefined) {
				return warning(why('none has ever run here: without one, no file is processed', 'daemon-never-ran'), todo);
			}
			const how = last.ended_at === null ? 'gave its last sign' : 'was stopped';
			const says = `no daemon is running: ${last.id} ${how} ${ago(last.seen_at)}; files wait and nothing is deleted on time`;
			return problem(why(says, 'no-daemon-runs'), todo);
		}),
		check('schedule', async ({ ok, warning }) => {
			const failed = await scheduleStore(knex).listFailed(nowMs() - DAY_MS, MOST_SHOWN);
			if (failed.length === 0) return ok(why('no task failed within a day', 'tasks-done'));
			const tasks = [...new Set(failed.map(({ task }) => task))].join(', ');
			const says = `${tasks} failed within a day, so what they do may be overdue`;
			const look = 'look for `scheduled task failed` in the logs of all daemons, which give the reason, and remove it';
			return warning(why(says, 'tasks-failed', { tasks }), `${look}; each task runs again at its next time`);
		}),
		check('queue', async ({ ok, problem }) => {
			const { waiting, running } = await jobStore(knex).countOpen(MOST_COUNTED);
			const due = await queueStore(knex, dialect).findNextRunAt();
			const says = `${waiting}${waiting === MOST_COUNTED ? ' or more' : ''} wait, ${running} under way`;
			if (due === undefined || nowMs() - due < WAITS_LONG_MS) {
				return ok(why(says, 'queue-short', { waiting, running }));
			}
			const todo =
				'see that a daemon is at work, that its disk has room for outputs, and that its clock is right; otherwise raise ' +
				'`workers`. `tokendrop job list --state queued` shows what waits';
			const since = new Date(due).toISOString();
			const long = `${says}; one has been due since ${since}: senders wait for their files`;
			return problem(why(long, 'queue-waits', { waiting, since }), todo);
		}),
		check('failures', async ({ ok, warning }) => {
			const fromMs = nowMs() - DAY_MS;
			const counts = await jobStore(knex).countFailed(fromMs);
			if (counts.length === 0) return ok(why('no file failed within a day', 'files-done'));
			const reasons = [...new Set(counts.map(({ reason }) => reason))].filter((reason) => !isSendersMatter(reason));
			if (reasons.length === 0) return sendersFinding(counts);
			const failed = await listNewestJobs(database, { state: 'failed', fromMs, reasons, limit: MOST_SHOWN });
			const todo =
				'`tokendrop job show ID --report` says why and where in the file; docs/operations.md says what to do about each ' +
				'reason. Then `tokendrop job retry ID`, or have the file sent again';
			return failed.map(({ id, filter, name, error_reason }) => {
				const says = `${filter}/${name}: ${error_reason} (job ${id}); the sender got a report and no output`;
				return warning(why(says, 'file-failed', { file: `${filter}/${name}`, job: id }), todo);
			});
		}),
		check('routes', async ({ ok, warning }) => {
			const missing = await listMissing({ database, keyRing });
			if (missing.length === 0) return ok(why('every destination and key that is named is there', 'named-there'));
			const todo =
				'put it again (`tokendrop destination put`, `pgp-key import`, `pgp-key create`), or change, pause or remove what ' +
				'names it';
			return missing.slice(0, MOST_SHOWN).map(({ by, kind, name }) => {
				const says = `${by} names the ${kind} ${name}, which is removed or revoked: its files fail`;
				return warning(why(says, 'named-missing', { user: by, name }), todo);
			});
		}),
		check('payment pages', async ({ ok, problem, warning }) => {
			if (integrity.schedule === 'never') {
				const says = 'daemons compare none (integrity.schedule): run `tokendrop integrity` at least weekly';
				return ok(why(says, 'payment-pages-left'));
			}
			const last = await scheduleStore(knex).findLastRun(PAGE_CHECK);
			if (last === undefined) {
				return ok(why(`not compared yet; a daemon does so ${integrity.schedule}`, 'payment-pages-new'));
			}
			const since = new Date(last.started_at).toISOString();
			const todo =
				'run `tokendrop integrity`, which compares them now and says what differs; docs/operations.md, "Payment pages", ' +
				'has what to do then';
			if (last.outcome === 'failed') {
				const says = `at ${since} they were not as sent, or could not be fetched: what cardholders type may go elsewhere`;
				return problem(why(says, 'payment-pages-altered', { since }), todo);
			}
			if (nowMs() - last.started_at > PAGES_CHECKED_MS) {
				return warning(why(`last compared at ${since}`, 'payment-pages-unchecked', { since }), todo);
			}
			return ok(why(`as sent at ${since}`, 'payment-pages-well', { since }));
		}),
		check('bans', async ({ ok, warning }) => {
			const bans = await scoreStore(knex).listBans(nowMs());
			if (bans.length === 0) return ok(why('no address is shut out', 'bans-none'));
			const who = bans.length === 1 ? '1 address is' : `${bans.length} addresses are`;
			const says = `${who} shut out after failed logins: logins from there are refused, those of customers included`;
			const todo =
				'`tokendrop ban list` shows them; if one belongs to a customer, run `tokendrop ban lift --address ADDRESS`';
			return warning(why(says, 'addresses-banned', { addresses: bans.length }), todo);
		}),
	];
}
