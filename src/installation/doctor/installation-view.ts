// Collects the state of the installation for the operators in the portal. It opens no page of the vault and counts no
// large table.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { ListPage } from '../../base/database/list-page.ts';
import type { Database } from '../../base/database/open.ts';
import { why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type AccountRow, accountStore } from '../../people/identity/accounts/account-store.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { sealedAccounts } from '../../people/identity/sealed-rows.ts';
import { liftBan, listBans } from '../../people/operators/bans.ts';
import { check, type Finding, lookAt, ok, problem, warning } from '../../people/operators/finding.ts';
import type {
	AccountView,
	AuditView,
	DaemonsView,
	DaemonView,
	InstallationView,
	KeysView,
} from '../../people/portal-users/installation.ts';
import type { Audit } from '../../trail/audit.ts';
import { auditStore } from '../../trail/audit-store.ts';
import { checkStore } from '../../trail/checks/check-store.ts';
import { verifyEnd } from '../../trail/checks/verify-trail.ts';
import type { Forwarder } from '../../trail/forward/forwarder.ts';
import { noteStore } from '../../trail/note-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import { queueAge } from '../../work/jobs/queue/queue-age.ts';
import { queueStore } from '../../work/jobs/queue/queue-store.ts';
import { scheduleStore } from '../../work/jobs/schedule-store.ts';
import { openFigures } from '../../work/statistics/figures.ts';
import { daemonStore } from '../daemons/daemon-store.ts';
import { isRunning } from '../daemons/heartbeat.ts';
import { termOf } from '../keys/key-periods.ts';
import { storeChecks } from './doctor-stores.ts';
import { upkeepChecks } from './doctor-upkeep.ts';
import { workChecks } from './doctor-work.ts';

const DAY_MS = 86_400_000;
/** The results of the checks are reused for this time, so that they run only once for many who look at the page. */
const FRESH_MS = 10_000;
/** The number of entries at the end of the audit trail that are verified whenever the page is shown. */
const END_ENTRIES = 500;
/** A warning is shown if the whole trail was not verified for this long. */
const CHECK_AGE_MS = 35 * DAY_MS;
const MOST_BEHIND = 10_000;
const MOST_TASKS = 50;
const MOST_JOBS = 10_000;

interface ViewOptions {
	readonly clock: Clock;
	readonly blobs: Pick<BlobStore, 'space'>;
	readonly forwarders: readonly Pick<Forwarder, 'target' | 'countBehind'>[];
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly audit: Pick<Audit, 'record'>;
}

export function openInstallationView(parts: ViewOptions, settings: Settings): InstallationView {
	const { clock } = parts;
	const nowMs = () => clock.now().getTime();
	let last: { readonly atMs: number; readonly findings: Promise<Finding[]> } | undefined;
	return {
		async findings() {
			if (!last || nowMs() - last.atMs >= FRESH_MS) last = { atMs: nowMs(), findings: lookAround(parts, settings) };
			return { atMs: last.atMs, findings: await last.findings };
		},
		daemons: () => viewDaemons(parts, nowMs()),
		keys: () => viewKeys(parts, settings, nowMs()),
		audit: () => viewAudit(parts),
		accounts: (page) => viewAccounts(parts, page as ListPage<AccountId>),
		countAccounts: (most) => accountStore(parts.database.knex).count(most),
		bans: () => listBans(parts.database, nowMs()),
		lift: async (address, actor) => (await liftBan(parts, address, { actor, nowMs: nowMs() })).length > 0,
	};
}

/** Runs the checks of the trail, and those of `tokendrop doctor` except the one that has to look up every file. */
async function lookAround(
	parts: Pick<ViewOptions, 'clock' | 'forwarders' | 'database' | 'keyRing' | 'identity'>,
	settings: Settings,
): Promise<Finding[]> {
	const { clock } = parts;
	const now = () => clock.now();
	const checks = [
		...storeChecks(parts, settings, now, { isQuick: true }),
		...workChecks(parts, settings, now),
		...upkeepChecks(parts, settings, now),
		check('audit trail', async () => trailFindings(await viewAudit(parts), now().getTime())),
	];
	return (await Promise.all(checks.map(lookAt))).flat();
}

function trailFindings({ entries, end, lastCheck, targets }: AuditView, now: number): Finding[] {
	const part = 'audit trail';
	const verify = 'run `tokendrop audit verify`, and see docs/security.md';
	const findings: Finding[] = [];
	const broken = (says: string, entry: number) => problem(part, why(says, 'trail-broken', { entry }), verify);
	if (!end.verdict.isWhole) {
		const { brokenAt, reason } = end.verdict;
		findings.push(broken(`broken at entry ${brokenAt}: ${reason}`, brokenAt));
	}
	if (lastCheck?.reason) {
		const { broken_at: at, reason } = lastCheck;
		findings.push(broken(`it was found broken at entry ${at}: ${reason}`, Number(at)));
	} else if (entries <= end.count) {
		// The trail has no more entries than the check of its end has just verified, as in a new installation. So it needs
		// no warning that the whole trail was never verified.
	} else if (!lastCheck) {
		findings.push(warning(part, why('it was never verified as a whole', 'trail-unverified'), verify));
	} else if (now - lastCheck.at > CHECK_AGE_MS) {
		const day = new Date(lastCheck.at).toISOString();
		findings.push(warning(part, why(`it was last verified on ${day}`, 'trail-verified-long-ago', { day }), verify));
	}
	for (const { kind, behind } of targets.filter(({ behind }) => behind > MOST_BEHIND)) {
		const todo = 'is the system that takes the trail there? the log of the daemon says why it refuses';
		const says = `${kind}: ${behind} entries are not sent on yet`;
		findings.push(warning(part, why(says, 'trail-not-forwarded', { target: kind, entries: behind }), todo));
	}
	const says = `${entries} entries, the last ${end.count} fit together`;
	return findings.length > 0 ? findings : [ok(part, why(says, 'trail-whole', { entries }))];
}

async function viewDaemons(
	{ database, clock, blobs }: Pick<ViewOptions, 'database' | 'clock' | 'blobs'>,
	now: number,
): Promise<DaemonsView> {
	const { knex, dialect } = database;
	const schedule = scheduleStore(knex);
	const jobs = new Map((await queueStore(knex, dialect).countByDaemon()).map((each) => [each.id, each]));
	const signs = new Map((await daemonStore(knex).list(now - DAY_MS)).map((row) => [row.id, row]));
	const daemons = [...new Set([...signs.keys(), ...jobs.keys()])].map((id): DaemonView => {
		const sign = signs.get(id);
		const { jobs: count = 0, leaseUntil } = jobs.get(id) ?? {};
		return {
			...{ id, version: sign?.version, seenMs: sign?.seen_at, isRunning: sign !== undefined && isRunning(sign, now) },
			...{ jobs: count, leaseUntilMs: leaseUntil },
		};
	});
	const failed = await schedule.listFailed(now - DAY_MS, MOST_TASKS);
	return {
		daemons: daemons.sort((one, other) => (other.seenMs ?? 0) - (one.seenMs ?? 0)),
		queue: { ...(await jobStore(knex).countOpen(MOST_JOBS)), oldestSeconds: await queueAge(database, clock) },
		failedTasks: failed.map(({ task, started_at }) => ({ task, atMs: started_at })),
		disk: await blobs.space(),
	};
}

async function viewKeys(
	{ keyRing, identity }: Pick<ViewOptions, 'keyRing' | 'identity'>,
	settings: Settings,
	now: number,
): Promise<KeysView> {
	const keys = await keyRing.list();
	const active = keys.filter(({ state }) => state === 'active');
	const names = await identity.accounts.userIdsOf([...new Set(active.map((row) => row.account_id as never))]);
	return {
		active: active.map((row) => {
			const { endsAt, term } = termOf(row, settings.keys, now);
			return {
				id: row.id,
				purpose: row.purpose,
				generation: row.generation,
				seals: row.seals,
				term,
				account: names.get(row.account_id as never),
				ageDays: Math.floor((now - row.created_at) / DAY_MS),
				endsAtMs: endsAt,
			};
		}),
		superseded: keys.length - active.length,
	};
}

async function viewAudit(parts: Pick<ViewOptions, 'database' | 'keyRing' | 'forwarders'>): Promise<AuditView> {
	const { keyRing, forwarders } = parts;
	const { knex } = parts.database;
	const note = await noteStore(knex).find();
	return {
		entries: (await auditStore(knex).findHead())?.seq ?? 0,
		lastNote: note && note.line !== '' ? { atMs: note.at, entry: note.seq } : undefined,
		lastCheck: await checkStore(knex).find(),
		end: { verdict: await verifyEnd(knex, keyRing, END_ENTRIES), count: END_ENTRIES },
		targets: await Promise.all(
			forwarders.map(async (each) => ({ kind: each.target.kind, behind: await each.countBehind() })),
		),
	};
}

async function viewAccounts(
	{ database, keyRing, clock }: Pick<ViewOptions, 'database' | 'keyRing' | 'clock'>,
	page: ListPage<AccountId>,
): Promise<AccountView[]> {
	const store = accountStore(database.knex);
	const judged = await keyRing.seals.judge(sealedAccounts, () => store.listPage(page));
	const parents = await store.userIdsOf([...new Set(judged.flatMap(({ row }) => row.parent_id ?? []))]);
	const figures = await openFigures({ database, clock }).ofAccounts(judged.map(({ row }) => row.id));
	return judged.map(({ row, isBroken }) => ({
		id: row.id,
		userId: row.user_id,
		parent: row.parent_id === null ? undefined : parents.get(row.parent_id),
		state: isBroken ? 'broken' : stateOf(row),
		allowance: allowanceOf(row),
		figures: figures(row.id),
	}));
}

function stateOf({ disabled_at, blocked_at }: AccountRow): AccountView['state'] {
	if (disabled_at !== null) return 'disabled';
	return blocked_at === null ? 'active' : 'blocked';
}

function allowanceOf({ allowance_limit: limit, allowance_used: used }: AccountRow): AccountView['allowance'] {
	return limit === null ? undefined : { limit, left: Math.max(0, limit - used) };
}
