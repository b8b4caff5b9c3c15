// Figures for Prometheus. Names and labels only ever hold filters, states and counts: never a user's content.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallSeen } from '../relay/rooms.ts';

/** Hosts with figures of their own; callers who may call any host cannot make more of them than this. */
const MAX_TARGETS = 200;

/** A scrape usually waits ten seconds. */
const READ_TIMEOUT_MS = 2_000;

export interface Metrics {
	readonly registry: Registry;
	readonly attempts: Counter<'operation' | 'filter' | 'state'>;
	readonly cards: Counter<'operation' | 'filter' | 'outcome'>;
	readonly otherNumbers: Counter<'operation' | 'filter'>;
	readonly brokenRows: Counter<'table' | 'why'>;
	readonly bytes: Counter<'operation' | 'filter'>;
	readonly jobSeconds: Histogram<'operation' | 'filter'>;
	/** `route` is the template, never a path: paths hold tokens. */
	observeRequest(seen: { route: string; method: string; status: number; seconds: number }): void;
	/** Calls to third parties, by their host. */
	observeTargetCall(seen: CallSeen): void;
	/** Calls of payment gateways, by how they ended. */
	observeGatewayCall(seen: { driver: string; operation: string; result: string; seconds: number }): void;
}

export interface MetricSources {
	sftpSessions(): number;
	sftpHeldBytes(): number;
	runningJobs(): number;
	queuedJobs(): Promise<number>;
	/** Pairs of first six and last four closed to duplicate elimination today, over all daemons. */
	eliminationLimits(): Promise<number>;
	/** Days until the next key of a purpose is replaced. */
	keyDaysLeft(): Promise<ReadonlyMap<string, number>>;
	/** In the drop store. */
	freeBytes(): Promise<number>;
}

/** Makes the registry of one daemon. */
export function openMetrics(sources: MetricSources): Metrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry, prefix: 'tokendrop_' });
	const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
		new Gauge({
			name: `tokendrop_${name}`,
			help,
			registers: [registry],
			async collect() {
				const value = await readInTime(read);
				// What cannot be read now is missing, and takes nothing else with it: figures matter most in trouble.
				if (value === undefined) this.remove({});
				else this.set(value);
			},
		});
	gauge('sftp_sessions', 'sFTP sessions logged in', sources.sftpSessions);
	gauge('sftp_held_bytes', 'Bytes held in memory for sFTP clients', sources.sftpHeldBytes);
	gauge('jobs_running', 'Jobs this daemon works on', sources.runningJobs);
	gauge('jobs_queued', 'Jobs waiting, over all daemons', sources.queuedJobs);
	gauge(
		'elimination_limits',
		'Pairs of first six and last four digits closed to duplicate elimination today, over all daemons',
		sources.eliminationLimits,
	);
	gauge('drop_store_free_bytes', 'Bytes free in the drop store', sources.freeBytes);
	new Gauge({
		name: 'tokendrop_key_days_left',
		help: 'Days until the next key of a purpose is at the end of its cryptoperiod; 0 or less when it is due',
		labelNames: ['purpose'],
		registers: [registry],
		async collect() {
			const left = await readInTime(sources.keyDaysLeft);
			this.reset();
			for (const [purpose, days] of left ?? []) this.set({ purpose }, days);
		},
	});
	const registers = [registry];
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
	const targets = new Set<string>();
	const targetLabel = (host: string) => {
		if (targets.size < MAX_TARGETS) targets.add(host);
		return targets.has(host) ? host : 'other';
	};
	return {
		observeTargetCall: ({ kind, host, outcome, seconds }) => {
			const ended = typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome;
			targetCalls.observe({ kind, target: targetLabel(host), outcome: ended }, seconds);
		},
		observeGatewayCall: ({ seconds, ...labels }) => gatewayCalls.observe(labels, seconds),
		observeRequest: ({ seconds, ...labels }) => requests.observe(labels, seconds),
		registry,
		attempts: new Counter({
			name: 'tokendrop_attempts_total',
			help: 'Attempts at files, by how they ended',
			labelNames: ['operation', 'filter', 'state'],
			registers,
		}),
		cards: new Counter({
			name: 'tokendrop_cards_total',
			help: 'Cards in files, by what became of them',
			labelNames: ['operation', 'filter', 'outcome'],
			registers,
		}),
		otherNumbers: new Counter({
			name: 'tokendrop_other_numbers_total',
			help: 'Numbers in files that look like cards outside the places for them',
			labelNames: ['operation', 'filter'],
			registers,
		}),
		brokenRows: new Counter({
			name: 'tokendrop_integrity_failures_total',
			help: 'Rows of the database that were refused: altered, or put back from an earlier time',
			labelNames: ['table', 'why'],
			registers,
		}),
		bytes: new Counter({
			name: 'tokendrop_file_bytes_total',
			help: 'Bytes of files processed',
			labelNames: ['operation', 'filter'],
			registers,
		}),
		jobSeconds: new Histogram({
			name: 'tokendrop_job_seconds',
			help: 'From acceptance of a file to its output',
			labelNames: ['operation', 'filter'],
			buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
			registers,
		}),
	};
}

/** Undefined when it fails or takes too long. */
async function readInTime<T>(read: () => T | Promise<T>): Promise<T | undefined> {
	let timer: NodeJS.Timeout | undefined;
	const tooLong = new Promise<undefined>((resolve) => {
		timer = setTimeout(resolve, READ_TIMEOUT_MS, undefined);
	});
	try {
		return await Promise.race([read(), tooLong]);
	} catch {
		return undefined;
	} finally {
		clearTimeout(timer);
	}
}
