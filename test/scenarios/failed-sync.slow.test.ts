// The disk fails to take what a daemon has written: nothing is acknowledged after that, and nothing acknowledged is lost.

import { join } from 'node:path';
import { cardJson } from '../helpers/card-calls.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { failCalls } from '../helpers/strace.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const traceTest = testNeeding('strace, with the right to trace');

traceTest.serial('after one failed sync of the database the daemon ends, and the next one goes on', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	const key = { 'x-service-api-key': installation.demo.apiKey, accept: 'application/json' };
	const store = async (baseUrl: string) => {
		const headers = { ...key, 'content-type': 'application/json' };
		const answer = await fetch(`${baseUrl}/api/payments/paycard`, { method: 'POST', headers, body: cardJson() });
		await answer.text();
		return answer;
	};
	const before = await store(daemon.baseUrl);
	t.is(before.status, 201);
	const log = join(installation.dataDir, 'tokendrop.sqlite-wal');
	await failCalls(t, daemon.pid, 'fdatasync:error=EIO', log);
	const answers = await Promise.allSettled(Array.from({ length: 10 }, () => store(daemon.baseUrl)));
	const acknowledged = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 201);
	t.is(acknowledged.length, 0, 'nothing is acknowledged');
	t.is(await daemon.ended(), 70, daemon.log());
	const last = JSON.parse(
		daemon
			.log()
			.trim()
			.split('\n')
			.findLast((line) => line.startsWith('{'))!,
	);
	t.like(last, { level: 'fatal', msg: 'ending at once' });
	t.regex(last.err.message, /check the disk, then start the daemon again/);

	const next = await installation.start();
	const token = before.headers.get('location')!.slice(-32);
	const meta = await fetch(`${next.baseUrl}/api/payments/paycard/${token}/meta`, { headers: key });
	t.is(meta.status, 200);
	t.is((await store(next.baseUrl)).status, 201);
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await next.stop(), 0);
});
