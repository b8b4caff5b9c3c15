// The log of a daemon cannot be written: the daemon goes on, and says so where somebody may look.

import test, { type ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { type Installation, openInstallation, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { until } from '../helpers/until.ts';

async function checkGoesOn(t: ExecutionContext, installation: Installation, daemon: RunningDaemon): Promise<void> {
	const headers = { 'x-service-api-key': installation.demo.apiKey, 'content-type': 'application/json' };
	const stored = await fetch(`${daemon.baseUrl}/api/payments/paycard`, { method: 'POST', headers, body: cardJson() });
	t.is(stored.status, 201);
	const ready = await fetch(`http://127.0.0.1:${daemon.opsPort}/readyz`);
	t.is(ready.status, 200);
	const { warnings } = (await ready.json()) as { warnings?: Record<string, string> };
	t.regex(warnings?.log ?? '', /^the log cannot be written: [1-9]\d* lines were dropped since the start$/);
	const metrics = await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text();
	t.true(droppedIn(metrics) > 0);
	t.is(await daemon.stop(), 0);
}

function droppedIn(metrics: string): number {
	return Number(/^tokendrop_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}

test.serial('a daemon whose log is on a full disk starts, works and says that nothing is logged', async (t) => {
	const installation = await openInstallation(t);
	const daemon = await installation.start('/dev/full');
	await checkGoesOn(t, installation, daemon);
});

test.serial('a daemon outlives the program that read its log', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	daemon.closeLog();
	await until('a line is dropped', async () => {
		process.kill(daemon.pid, 'SIGHUP');
		return droppedIn(await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text()) > 0;
	});
	await checkGoesOn(t, installation, daemon);
});
