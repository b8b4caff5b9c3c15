// Node writes a report about a process that crashes, or that is asked for one: it must not hold a key.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openInstallation } from '../helpers/daemon.ts';
import { until } from '../helpers/until.ts';

test('a report of Node about a daemon has no master key in it', async (t) => {
	const installation = await openInstallation(t);
	const reports = join(installation.tmpDir, 'reports');
	mkdirSync(reports);
	const key = '5b'.repeat(32);
	installation.variables.TOKENDROP_KEYS_PROVIDER = 'env';
	installation.variables.TOKENDROP_MASTER_KEY = key;
	installation.variables.NODE_OPTIONS = `--report-on-signal --report-directory=${reports}`;
	const daemon = await installation.start();
	process.kill(daemon.pid, 'SIGUSR2');
	const [report] = await until('the report', () => {
		const found = readdirSync(reports).map((name) => readFileSync(join(reports, name), 'utf8'));
		return found.length > 0 && found[0].trimEnd().endsWith('}') && found;
	});
	t.regex(report, /"javascriptHeap"/);
	t.false(report.includes(key));
	t.is(await daemon.stop(), 0);
});
