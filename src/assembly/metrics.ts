// Figures for Prometheus. Names and labels only ever hold filters, states and counts: never a user's content.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
	readonly registry: Registry;
	readonly attempts: Counter<'operation' | 'filter' | 'state'>;
	readonly cards: Counter<'operation' | 'filter' | 'outcome'>;
	readonly bytes: Counter<'operation' | 'filter'>;
	readonly jobSeconds: Histogram<'operation' | 'filter'>;
	/** `route` is the template, never a path: paths hold tokens. */
	observeRequest(seen: { route: string; method: string; status: number; seconds: number }): void;
}

export interface MetricSources {
	sftpSessions(): number;
	sftpHeldBytes(): number;
	runningJobs(): number;
	queuedJobs(): Promise<number>;
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
				this.set(await read());
			},
		});
	gauge('sftp_sessions', 'sFTP sessions logged in', sources.sftpSessions);
	gauge('sftp_held_bytes', 'Bytes held in memory for sFTP clients', sources.sftpHeldBytes);
	gauge('jobs_running', 'Jobs this daemon works on', sources.runningJobs);
	gauge('jobs_queued', 'Jobs waiting, over all daemons', sources.queuedJobs);
	const registers = [registry];
	const requests = new Histogram({
		name: 'tokendrop_http_request_seconds',
		help: 'Time to answer a request over HTTP',
		labelNames: ['route', 'method', 'status'],
		buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
		registers,
	});
	return {
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
