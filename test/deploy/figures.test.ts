// Checks that a daemon really has every figure that the dashboard and the alert rules name.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { makeSshKeyPair } from '../helpers/ssh-key-pair.ts';

const shared = shareDaemon();

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

interface Panel {
	readonly title: string;
	readonly targets: readonly { readonly expr: string }[];
}

interface Rule {
	readonly alert: string;
	readonly expr: string;
	readonly annotations: { readonly summary: string; readonly todo: string };
}

const { panels } = JSON.parse(read('grafana/tokendrop.json')) as { panels: Panel[] };
const rules = (parse(read('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
	(group) => group.rules,
);

/** Returns the names of the figures that `/metrics` declares; for a histogram, the names that Prometheus makes of it. */
function givenNames(text: string): Set<string> {
	const names = new Set<string>(['up']);
	for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
		if (type === 'histogram') for (const ending of ['_bucket', '_sum', '_count']) names.add(name + ending);
		else names.add(name);
	}
	return names;
}

/** Returns the words of an expression that name figures: all but functions, labels and keywords. */
function namesIn(expr: string): string[] {
	const bare = expr.replace(/\{[^}]*\}/g, '').replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
	return [...bare.matchAll(/\b[a-z_]\w*\b(?!\s*\()/g)]
		.map(([name]) => name)
		.filter((name) => !/^(and|or|unless|s|m|h|d)$/.test(name));
}

test('names are found in expressions, and a wrong one is seen', (t) => {
	t.deepEqual(namesIn('sum by (account) (increase(a_total{state="failed"}[1h])) > 0'), ['a_total']);
	t.deepEqual(namesIn('histogram_quantile(0.95, sum by (le) (rate(b_bucket[5m])))'), ['b_bucket']);
	t.deepEqual(namesIn('max(c) > 1e9 and up{job="x"} == 0'), ['c', 'up']);
});

test('dashboard and alert rules name figures that there are', async (t) => {
	const text = await (await fetch(`http://127.0.0.1:${shared.daemon.opsPort}/metrics`)).text();
	const given = givenNames(text);
	t.true(given.has('tokendrop_job_seconds_bucket') && given.has('tokendrop_queue_age_seconds'));
	const expressions = [
		...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])),
		...rules.map(({ alert, expr }) => [alert, expr]),
	];
	t.true(panels.length > 10 && rules.length > 8);
	for (const [title, expr] of expressions) {
		const names = namesIn(expr);
		t.true(names.length > 0, `${title}: no figure in ${expr}`);
		for (const name of names) t.true(given.has(name), `${title}: ${name}`);
	}
	for (const { alert, annotations } of rules) t.truthy(annotations.summary && annotations.todo, alert);
});

test('failed logins are counted by their door, and offers of unknown keys apart', async (t) => {
	await offerUnknownKey(shared.daemon.sftpPort, shared.installation.demo.userId);
	await fetch(`${shared.daemon.baseUrl}/api/jobs`, { headers: { 'x-service-api-key': 'td_sandbox_wrong' } });
	const text = await (await fetch(`http://127.0.0.1:${shared.daemon.opsPort}/metrics`)).text();
	t.regex(text, /^tokendrop_login_failures_total\{door="http"\} 1$/m);
	t.regex(text, /^tokendrop_sftp_unknown_keys_total 1$/m);
	t.notRegex(text, /^tokendrop_login_failures_total\{door="sftp"\}/m);
	t.regex(text, /^tokendrop_banned_addresses 0$/m);
	t.regex(text, /^tokendrop_allowance_used_ratio\{account="demo"\} 0$/m);
	const ready = await (await fetch(`http://127.0.0.1:${shared.daemon.opsPort}/readyz`)).json();
	t.like(ready, { status: 'ok', jobs: 'ok' });
});

/** Offers a key that the account does not have, as a client does that tries all of its keys. */
async function offerUnknownKey(port: number, username: string): Promise<void> {
	const client = new ssh2.Client();
	client.on('error', () => {});
	const closed = new Promise<void>((resolve) => void client.on('close', () => resolve()));
	client.connect({ host: '127.0.0.1', port, username, privateKey: makeSshKeyPair().private });
	await closed;
}
