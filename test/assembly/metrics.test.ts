import test from 'ava';
import { openMetrics } from '../../src/assembly/metrics.ts';

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
