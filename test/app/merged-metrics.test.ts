import test from 'ava';
import { MergedMetrics } from '../../src/app/watches/metrics/merged.ts';
import { type MetricSources, openMetrics } from '../../src/app/watches/metrics/metrics.ts';

const none: MetricSources = {
	sftpSessions: () => 0,
	sftpHeldBytes: () => 0,
	runningJobs: () => 0,
	queuedJobs: async () => 5,
	eliminationLimits: async () => 0,
	cardsRetired: async () => 0,
	keyDaysLeft: async () => new Map([['data', 12]]),
	freeBytes: async () => 1000,
};

test('what each process counts is added up, and what all read in the database is shown once', async (t) => {
	const processes = [1, 2].map((process) => openMetrics({ ...none, process, sftpSessions: () => 3 * process }));
	for (const { observeRequest, loginFailures } of processes) {
		loginFailures.inc({ door: 'sftp' }, 2);
		observeRequest({ route: '/api', method: 'GET', status: 200, seconds: 0.01 });
	}
	// What goes from one process to another is JSON.
	const told = async (n: number) => JSON.parse(JSON.stringify(await processes[n].registry.getMetricsAsJSON()));
	const merged = new MergedMetrics();
	for (const n of [0, 1]) merged.note(n, await told(n));
	const { text, contentType } = await merged.read();
	t.regex(contentType, /^text\/plain/);
	t.regex(text, /^tokendrop_sftp_sessions 9$/m);
	t.regex(text, /^tokendrop_jobs_queued 5$/m);
	t.regex(text, /^tokendrop_drop_store_free_bytes 1000$/m);
	t.regex(text, /^tokendrop_key_days_left\{purpose="data"\} 12$/m);
	t.regex(text, /^tokendrop_login_failures_total\{door="sftp"\} 4$/m);
	t.regex(text, /^tokendrop_http_request_seconds_count\{route="\/api",method="GET",status="200"\} 2$/m);
	t.regex(text, /^tokendrop_resident_bytes\{process="2"\} \d+$/m);
	const single = (await processes[0].registry.metrics()).match(/^# TYPE .*$/gm);
	const missing = single!.filter((line) => !text.includes(line));
	t.deepEqual(
		missing,
		['# TYPE tokendrop_process_start_time_seconds gauge'],
		'each process has started at a time of its own',
	);

	const after = [];
	for (let n = 0; n < 3; n++) {
		merged.end(1);
		after.push((await merged.read()).text);
		merged.note(1, await told(1));
	}
	t.regex(after[0], /^tokendrop_sftp_sessions 3$/m, 'a process that has ended has no sessions');
	const counts = after.map((each) => /^tokendrop_login_failures_total\{door="sftp"\} (\d+)$/m.exec(each)?.[1]);
	t.deepEqual(counts, ['4', '6', '8'], 'what it counted stays');
	t.regex(after[2], /^tokendrop_http_request_seconds_count\{route="\/api",method="GET",status="200"\} 4$/m);
});
