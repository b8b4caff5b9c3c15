import test from 'ava';
import { openMetrics } from '../../src/app/watches/metrics/metrics.ts';

const away = {
	fails: () => Promise.reject(new Error('connect ECONNREFUSED')),
	'never answers': () => new Promise<number>(() => {}),
};

for (const [name, queuedJobs] of Object.entries(away)) {
	test(`a figure whose source ${name} is missing until it is back, and all others are given`, async (t) => {
		let source: () => Promise<number> = async () => 3;
		const { registry } = openMetrics({
			sftpSessions: () => 7,
			sftpHeldBytes: () => 0,
			runningJobs: () => 0,
			queuedJobs: () => source(),
			eliminationLimits: async () => 0,
			cardsRetired: async () => 0,
			keyDaysLeft: async () => new Map(),
			freeBytes: async () => 12_345,
		});
		t.regex(await registry.metrics(), /^tokendrop_jobs_queued 3$/m);
		source = queuedJobs;
		const startedAt = performance.now();
		const text = await registry.metrics();
		t.true(performance.now() - startedAt < 8_000, 'a scrape waits ten seconds');
		t.notRegex(text, /^tokendrop_jobs_queued \S/m);
		t.regex(text, /^tokendrop_sftp_sessions 7$/m);
		t.regex(text, /^tokendrop_drop_store_free_bytes 12345$/m);
		source = async () => 4;
		t.regex(await registry.metrics(), /^tokendrop_jobs_queued 4$/m);
	});
}

test('accounts and targets are told apart up to a bound, and the rest is one', async (t) => {
	const none = { sftpSessions: () => 0, sftpHeldBytes: () => 0, runningJobs: () => 0, queuedJobs: async () => 0 };
	let looks = 0;
	let eventLooks = 0;
	const metrics = openMetrics({
		...none,
		cardsRetired: async () => 0,
		keyDaysLeft: async () => new Map(),
		eliminationLimits: async () => 0,
		freeBytes: async () => 1,
		queueAgeSeconds: async () => 61,
		bannedAddresses: async () => 2,
		allowances: async (most) => [{ account: `of ${most}`, share: 0.81 }],
		async events() {
			eventLooks += 1;
			return { waiting: 5, oldestSeconds: 90, disabledEndpoints: 1 };
		},
		async routes(most) {
			looks += 1;
			return [{ route: `agency/of ${most}`, sinceSuccess: 3_600, deadFiles: 2, isMissing: true, isStopped: false }];
		},
	});
	for (let i = 0; i < 300; i++) {
		const run = {
			account: 'agency',
			route: `r${i}`,
			outcome: 'partly',
			delivered: 3,
			failed: 1,
			dead: 0,
			bytes: 10,
		} as const;
		metrics.observeRoute(run);
	}
	for (let i = 0; i < 300; i++) {
		metrics.observeAccount({ account: `a${i}`, operation: 'tokenize', state: 'done', cards: 2, refused: 0 });
	}
	metrics.observeAccount({ account: 'a0', operation: 'tokenize', state: 'failed', cards: 0, refused: 0 });
	metrics.observeDeliveries('delivered', 3);
	const text = await metrics.registry.metrics();
	const files = text.match(/^tokendrop_account_files_total\{.*$/gm)!;
	t.is(files.length, 202);
	t.true(files.includes('tokendrop_account_files_total{account="other",operation="tokenize",state="done"} 100'));
	t.true(files.includes('tokendrop_account_files_total{account="a0",operation="tokenize",state="failed"} 1'));
	t.regex(text, /^tokendrop_account_cards_total\{account="a1",operation="tokenize",outcome="swapped"\} 2$/m);
	t.regex(text, /^tokendrop_allowance_used_ratio\{account="of 200"\} 0\.81$/m);
	t.is(text.match(/^tokendrop_route_runs_total\{.*$/gm)!.length, 201);
	t.regex(text, /^tokendrop_route_runs_total\{route="other",outcome="partly"\} 100$/m);
	t.regex(text, /^tokendrop_route_files_total\{route="agency\/r0",state="delivered"\} 3$/m);
	t.regex(text, /^tokendrop_route_bytes_total\{route="agency\/r0"\} 10$/m);
	t.regex(text, /^tokendrop_route_success_age_seconds\{route="agency\/of 200"\} 3600$/m);
	t.regex(text, /^tokendrop_route_dead_files\{route="agency\/of 200"\} 2$/m);
	t.regex(text, /^tokendrop_route_files_missing\{route="agency\/of 200"\} 1$/m);
	t.is(looks, 1, 'the figures of routes share one look at the database');
	t.regex(text, /^tokendrop_route_stopped\{route="agency\/of 200"\} 0$/m);
	t.regex(text, /^tokendrop_event_deliveries_total\{outcome="delivered"\} 3$/m);
	t.regex(text, /^tokendrop_event_deliveries_total\{outcome="failed"\} 0$/m);
	t.regex(text, /^tokendrop_event_deliveries_waiting 5$/m);
	t.regex(text, /^tokendrop_event_oldest_waiting_seconds 90$/m);
	t.regex(text, /^tokendrop_event_endpoints_disabled 1$/m);
	t.is(eventLooks, 1, 'so do those of events');
	t.regex(text, /^tokendrop_queue_age_seconds 61$/m);
	t.regex(text, /^tokendrop_banned_addresses 2$/m);
});
