import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { EVENT_NAMES, EVENT_TYPES, exampleData } from '../../src/base/outbox/event-types.ts';
import { OPERATIONS } from '../../src/work/payments/gateway/operation.ts';
import { openEvents } from '../helpers/event-parts.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { freePort } from '../helpers/free-port.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const PAGE = readFileSync('docs/events.md', 'utf8');

test('the page shows every type of event with its example', (t) => {
	const shown = [...PAGE.matchAll(/^### (\S+)\n\n(.+)\n\n```json\n(.+)\n```$/gm)];
	t.deepEqual(
		shown.map(([, name, summary, example]) => [name, summary, JSON.parse(example)]),
		EVENT_NAMES.map((name) => [name, EVENT_TYPES[name].summary, exampleData(name)]),
	);
});

test('the example of a type is one that could be sent', (t) => {
	for (const outcome of ['done', 'failed', 'stopped'] as const) {
		const { reason, ...sent } = exampleData(`route.${outcome}`);
		t.is(sent.outcome, outcome);
		t.is(reason === null, outcome === 'done', outcome);
	}
	const [missing, came] = [exampleData('route.file_missing'), exampleData('route.file_came')];
	t.true(Number(missing.came) < Number(missing.expected) && Number(came.came) >= Number(came.expected));
	t.true((OPERATIONS as readonly unknown[]).includes(exampleData('payment.settled').operation));
	const { used, limit } = exampleData('allowance.used_up');
	t.is(used, limit);
	t.not(exampleData('certificate.expiring').kind, exampleData('key.expiring').kind);
});

/** Starts the receiver of the page, and sends it two events and a forged one. */
async function tryReceiver(t: ExecutionContext, language: 'node' | 'python', program: string, file: string) {
	const [, text] = new RegExp(`<!-- receiver: ${language} -->\n\`\`\`\\w+\n([\\s\\S]+?)\`\`\``).exec(PAGE)!;
	const path = join(makeFolder(t), file);
	writeFileSync(path, text);
	const port = await freePort();
	const url = `http://127.0.0.1:${port}/hooks`;
	const { put, tell, deliver, clock } = await openEvents(t, 'sqlite');
	clock.turn(Date.now() - clock.now().getTime());
	const WEBHOOK_SECRET = await put('crm', url);
	const receiver = spawn(program, [path], { env: { ...process.env, WEBHOOK_SECRET, PORT: String(port) } });
	t.teardown(() => receiver.kill());
	let output = '';
	receiver.stdout.on('data', (piece) => {
		output += piece;
	});
	await until('ready', () => output.includes('ready'));
	await tell({ data: { job: '1' } }, { type: 'job.failed', data: { job: '2' } });
	await deliver();
	await until('both events', () => output.includes('job.done') && output.includes('job.failed'));
	t.regex(output, /job\.done \{"account": ?"agency", ?"job": ?"1"\}/);
	const timestamp = String(Math.floor(Date.now() / 1000));
	const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' };
	t.is((await fetch(url, { method: 'POST', headers, body: '{"type":"forged","data":{}}' })).status, 400);
	t.false(output.includes('forged'));
}

test('the receiver in Node takes genuine events and refuses a forged one', (t) =>
	tryReceiver(t, 'node', process.execPath, 'receiver.mjs'));

testNeeding('python3')('the receiver in Python takes genuine events and refuses a forged one', (t) =>
	tryReceiver(t, 'python', 'python3', 'receiver.py'),
);
