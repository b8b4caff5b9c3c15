// Metrics for Prometheus. Labels contain only names, such as those of filters, states, accounts and hosts, and never
// the content of files or calls.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { OnAnswered } from '../../../doors/http/server/access-log.ts';
import type { OnGatewayCall } from '../../../work/payments/gateway/driver-call.ts';
import type { CallSeen } from '../../../work/relay/third-party-call.ts';
import { addEventMetrics, type EventStanding } from './event-metrics.ts';
import { addLabelledGauge, boundedLabel, counterIn, gaugeIn } from './gauges.ts';
import { addRouteMetrics, type RouteStanding } from './route-metrics.ts';

/** At most this many hosts have metrics of their own, because callers may call any; the rest counts as `other`. */
const MAX_TARGETS = 200;

/** At most this many accounts have their own metrics; all others are summed up under `other`. */
const MAX_ACCOUNTS = 200;
/** At most this many ends of certificates and keys are shown, those that come first. */
const MAX_ENDS = 200;

export type Metrics = ReturnType<typeof openMetrics>;

export interface MetricSources {
	/** The number of this process among those of the daemon; 1 if there is only one. */
	readonly process?: number;
	sftpSessions(): number;
	sftpHeldBytes(): number;
	/** Returns the key exchanges of sFTP clients since the start. */
	sftpExchanges?(): { readonly postQuantum: number; readonly classical: number };
	readonly hasPostQuantumExchange?: boolean;
	runningJobs(): number;
	queuedJobs(): Promise<number>;
	/** Returns how many pairs of first six and last four digits have reached today's limit, over all daemons. */
	eliminationLimits(): Promise<number>;
	cardsRetired(): Promise<number>;
	/** Returns the days until the next key of each purpose is replaced. */
	keyDaysLeft(): Promise<ReadonlyMap<string, number>>;
	isKeyServiceAway?(): boolean;
	droppedLogLines?(): number;
	freeBytes(): Promise<number>;
	/** Returns for how many seconds the job that has waited longest has been due; 0 if no job is due. */
	queueAgeSeconds?(): Promise<number>;
	bannedAddresses?(): Promise<number>;
	/** Returns, for each external system that receives the audit trail, how many entries it has not yet received. */
	auditBehind?(): Promise<readonly { readonly target: string; readonly entries: number }[]>;
	/** Returns what share of its allowance each account with a limit has used, for the `most` with the largest. */
	allowances?(most: number): Promise<readonly { readonly account: string; readonly share: number }[]>;
	/** Returns what ends soon or has ended, soonest first, with the days that are left. */
	expiring?(): Promise<readonly { readonly kind: string; readonly name: string; readonly days: number }[]>;
	/** Returns what operators have not done in time, with the days by which it is overdue. */
	overdue?(): Promise<readonly { readonly duty: string; readonly days: number }[]>;
	silent?(): Promise<readonly { readonly account: string; readonly days: number }[]>;
	events?(): Promise<EventStanding>;
	routes?(most: number): Promise<readonly RouteStanding[]>;
}

export function openMetrics(sources: MetricSources) {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry, prefix: 'tokendrop_' });
	const counter = counterIn(registry);
	const add = gaugeIn(registry);
	/** A figure of this process. Those of several processes are added up. */
	const ownGauge = (name: string, help: string, read: () => number) => add(name, help, 'sum', read);
	/** A figure that every process finds in the database or on the disk. */
	const gauge = (name: string, help: string, read: () => Promise<number>) => add(name, help, 'first', read);
	ownGauge('sftp_sessions', 'sFTP sessions logged in', sources.sftpSessions);
	ownGauge('sftp_held_bytes', 'Bytes held in memory for sFTP clients', sources.sftpHeldBytes);
	add('sftp_post_quantum', 'Whether a post-quantum key exchange is offered: 1 or 0', 'first', () =>
		sources.hasPostQuantumExchange ? 1 : 0,
	);
	if (sources.sftpExchanges) {
		const { sftpExchanges } = sources;
		new Counter({
			name: 'tokendrop_sftp_key_exchanges_total',
			help: 'Key exchanges with sFTP clients, by whether they withstand a quantum computer',
			labelNames: ['kind'],
			registers: [registry],
			collect() {
				const { postQuantum, classical } = sftpExchanges();
				this.reset();
				this.inc({ kind: 'post-quantum' }, postQuantum);
				this.inc({ kind: 'classical' }, classical);
			},
		});
	}
	ownGauge('jobs_running', 'Jobs this daemon works on', sources.runningJobs);
	addLabelledGauge(registry, {
		name: 'resident_bytes',
		help: 'Resident memory of each process of this daemon',
		labels: ['process'],
		read: async () => [[[String(sources.process ?? 1)], process.memoryUsage.rss()]],
	});
	gauge('jobs_queued', 'Jobs waiting, over all daemons', sources.queuedJobs);
	gauge(
		'elimination_limits',
		'Pairs of first six and last four digits closed to duplicate elimination today, over all daemons',
		sources.eliminationLimits,
	);
	gauge('cards_retired', 'Cards deleted at the end their account gave them, over all daemons', sources.cardsRetired);
	gauge('drop_store_free_bytes', 'Bytes free in the drop store', sources.freeBytes);
	const { isKeyServiceAway } = sources;
	if (isKeyServiceAway) {
		const help = 'Processes of this daemon that could not ask the service of the master key';
		ownGauge('key_service_away', help, () => (isKeyServiceAway() ? 1 : 0));
	}
	if (sources.droppedLogLines) {
		const { droppedLogLines } = sources;
		new Counter({
			name: 'tokendrop_log_lines_dropped_total',
			help: 'Log lines that could not be written',
			registers: [registry],
			collect() {
				this.reset();
				this.inc(droppedLogLines());
			},
		});
	}
	if (sources.queueAgeSeconds)
		gauge('queue_age_seconds', 'How long the job that waits the longest has been due', sources.queueAgeSeconds);
	if (sources.bannedAddresses)
		gauge('banned_addresses', 'Addresses that are shut out, over all daemons', sources.bannedAddresses);
	const { auditBehind, allowances } = sources;
	addLabelledGauge(registry, {
		name: 'audit_entries_behind',
		help: 'Entries of the audit trail that a system they are sent to has not taken yet',
		labels: ['target'],
		read: auditBehind && (async () => (await auditBehind()).map(({ target, entries }) => [[target], entries])),
	});
	addLabelledGauge(registry, {
		name: 'allowance_used_ratio',
		help: 'Share of its allowance that an account has used, the fullest ones; 1 is all of it',
		labels: ['account'],
		read: allowances && (async () => (await allowances(MAX_ACCOUNTS)).map(({ account, share }) => [[account], share])),
	});
	addLabelledGauge(registry, {
		name: 'key_days_left',
		help: 'Days until the next key of a purpose is at the end of its cryptoperiod; 0 or less when it is due',
		labels: ['purpose'],
		read: async () => [...(await sources.keyDaysLeft())].map(([purpose, days]) => [[purpose], days]),
	});
	// These have a value only where the rule of doctor says that there is something to do, so an alert needs no rule of its own.
	const { expiring, overdue, silent } = sources;
	addLabelledGauge(registry, {
		name: 'expiring_days_left',
		help: 'Days until the end of a certificate or key that ends soon or has ended; nothing where none does',
		labels: ['kind', 'name'],
		read:
			expiring &&
			(async () => (await expiring()).slice(0, MAX_ENDS).map(({ kind, name, days }) => [[kind, name], days])),
	});
	addLabelledGauge(registry, {
		name: 'upkeep_overdue_days',
		help: 'Days by which a backup or the verification of one is overdue; nothing where none is',
		labels: ['duty'],
		read: overdue && (async () => (await overdue()).map(({ duty, days }) => [[duty], days])),
	});
	addLabelledGauge(registry, {
		name: 'account_silent_days',
		help: 'Days without a file of an account that never paused so long before; nothing where none does',
		labels: ['account'],
		read: silent && (async () => (await silent()).slice(0, MAX_ACCOUNTS).map(({ account, days }) => [[account], days])),
	});
	const registers = [registry];
	const accountFiles = counter(
		['account', 'operation', 'state'],
		'account_files_total',
		'Attempts at files, by account and how they ended',
	);
	const accountCards = counter(
		['account', 'operation', 'outcome'],
		'account_cards_total',
		'Cards in files, by account and what became of them',
	);
	const requests = new Histogram({
		name: 'tokendrop_http_request_seconds',
		help: 'Time to answer a request over HTTP',
		labelNames: ['route', 'method', 'status'],
		buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
		registers,
	});
	const gatewayCalls = new Histogram({
		name: 'tokendrop_gateway_call_seconds',
		help: 'Calls of payment gateways, by how they ended',
		labelNames: ['driver', 'operation', 'result'],
		buckets: [0.1, 0.3, 1, 3, 10, 30],
		registers,
	});
	const targetCalls = new Histogram({
		name: 'tokendrop_target_call_seconds',
		help: 'Round trips to third parties, by how they ended: class of the status, timeout, unreachable or refused',
		labelNames: ['kind', 'target', 'outcome'],
		buckets: [0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30],
		registers,
	});
	/** Counts files that failed for good, by whose matter that is. */
	const failedFiles = counter(
		['fault'],
		'files_failed_total',
		'Files that failed, by whose matter it is: the sender, or the installation',
	);
	// An alert sees a counter grow only if it was there before.
	for (const fault of ['sender', 'installation']) failedFiles.inc({ fault }, 0);
	const targetLabel = boundedLabel(MAX_TARGETS);
	const accountLabel = boundedLabel(MAX_ACCOUNTS);
	return {
		observeAccount(seen: { account: string; operation: string; state: string; cards: number; refused: number }): void {
			const { account: userId, operation, state, cards, refused } = seen;
			const account = accountLabel(userId);
			accountFiles.inc({ account, operation, state });
			if (cards > 0) accountCards.inc({ account, operation, outcome: 'swapped' }, cards);
			if (refused > 0) accountCards.inc({ account, operation, outcome: 'refused' }, refused);
		},
		observeRoute: addRouteMetrics(registry, sources.routes),
		/** Counts tries to tell somebody of an event. */
		observeDeliveries: addEventMetrics(registry, sources.events),
		loginFailures: counter(['door'], 'login_failures_total', 'Logins that failed'),
		unknownKeys: counter(
			[],
			'sftp_unknown_keys_total',
			'Keys that sFTP clients offered and that the account does not have',
		),
		observeTargetCall: ({ kind, host, outcome, seconds }: CallSeen) => {
			const ended = typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome;
			targetCalls.observe({ kind, target: targetLabel(host), outcome: ended }, seconds);
		},
		observeGatewayCall: ({ seconds, ...labels }: Parameters<OnGatewayCall>[0]) => gatewayCalls.observe(labels, seconds),
		/** Counts an answered request. `route` is the template and never a path, because paths contain tokens. */
		observeRequest: ({ seconds, route, method, status }: Parameters<OnAnswered>[0]) =>
			requests.observe({ route, method, status }, seconds),
		failedFiles,
		registry,
		attempts: counter(['operation', 'filter', 'state'], 'attempts_total', 'Attempts at files, by how they ended'),
		cards: counter(['operation', 'filter', 'outcome'], 'cards_total', 'Cards in files, by what became of them'),
		otherNumbers: counter(
			['operation', 'filter'],
			'other_numbers_total',
			'Numbers in files that look like cards outside the places for them',
		),
		pageDifferences: counter(
			['page'],
			'payment_page_differences_total',
			'Headers, scripts and other parts of payment pages that the public URL serves not as they were sent',
		),
		brokenRows: counter(
			['table', 'why'],
			'integrity_failures_total',
			'Rows of the database that were refused: altered, or put back from an earlier time',
		),
		mailsLimited: counter(['limit'], 'mails_limited_total', 'Mails that a limit has stopped or, to a mailbox, delayed'),
		bytes: counter(['operation', 'filter'], 'file_bytes_total', 'Bytes of files processed'),
		jobSeconds: new Histogram({
			name: 'tokendrop_job_seconds',
			help: 'From acceptance of a file to its output',
			labelNames: ['operation', 'filter'],
			buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
			registers,
		}),
	};
}
