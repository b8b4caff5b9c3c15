// A daemon whose master key is in a key service: it starts, goes on while the service is away, and moves from one to another.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { settledJobs } from '../helpers/daemon-checks.ts';
import { clients, demoDoor } from '../helpers/daemon-clients.ts';
import { temporaryFolder } from '../helpers/key-services/providers.ts';
import { openTransitDouble, type TransitDouble } from '../helpers/key-services/transit-server.ts';
import { patient } from '../helpers/patience.ts';
import { until } from '../helpers/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const CSV = 'number,expiry\n4111111111111111,12/29\n';

/** Opens an installation with a master key in a file, whose settings name a key in Vault too. */
async function openScene(t: ExecutionContext) {
	const service = await openTransitDouble(t);
	service.makeKey('ours');
	const tokenFile = join(temporaryFolder(t), 'token');
	writeFileSync(tokenFile, 'hvs.test', { mode: 0o600 });
	const installation = await openInstallation(t, {
		variables: {
			TOKENDROP_KEYS_TRANSIT_URL: service.url,
			TOKENDROP_KEYS_TRANSIT_KEY_NAME: 'ours',
			TOKENDROP_KEYS_TRANSIT_TOKEN_FILE: tokenFile,
		},
	});
	return { service, installation };
}

function useProvider({ variables }: Installation, provider: 'file' | 'transit'): void {
	variables.TOKENDROP_KEYS_PROVIDER = provider;
}

async function storeCard({ demo }: Installation, { baseUrl }: RunningDaemon): Promise<string> {
	const headers = { 'x-service-api-key': demo.apiKey, 'content-type': 'application/json' };
	const stored = await fetch(`${baseUrl}/api/payments/paycard`, { method: 'POST', headers, body: cardJson() });
	if (stored.status !== 201) throw new Error(`the card is not stored: ${stored.status}`);
	return stored.headers.get('location')!;
}

async function opsOf({ opsPort }: RunningDaemon) {
	const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
	const away = Number(/^tokendrop_key_service_away (\d)$/m.exec(metrics)?.[1]);
	return { status: ready.status, body: (await ready.json()) as { status: string; warnings?: object }, away };
}

/** Notes every key that the service gives out, in each spelling that a text could have. */
function noteKeys(service: TransitDouble): () => string[] {
	return () =>
		service.plaintexts.flatMap((key) => ['hex', 'base64', 'latin1'].map((form) => key.toString(form as 'hex')));
}

test.serial('a daemon goes on while its key service is away, says so, and cannot start', async (t) => {
	const { service, installation } = await openScene(t);
	const keys = noteKeys(service);
	const first = await installation.start();
	await storeCard(installation, first);
	t.is(await first.stop(), 0);
	const moved = await installation.json('key', 'move', '--to', 'transit');
	t.false(moved.isFormerNeeded);
	await t.throwsAsync(installation.start(), { message: /under a key service: keys\.provider transit/ });
	useProvider(installation, 'transit');

	const daemon = await installation.start();
	t.deepEqual([(await opsOf(daemon)).body.status, (await opsOf(daemon)).away], ['ok', 0]);
	const parts = installation.parts();
	await parts;
	await service.goAway();
	await until('the metrics say so', async () => (await opsOf(daemon)).away === 1);
	const { status, body } = await opsOf(daemon);
	t.is(status, 200);
	t.like(body, {
		status: 'degraded',
		warnings: { keys: 'the key service is away: what is open goes on, and a start would fail until it is back' },
	});
	await storeCard(installation, daemon);
	// The thread for files begins only now.
	const local = join(installation.folder, 'away.csv');
	writeFileSync(local, CSV);
	t.is((await clients.sftpPut.put(demoDoor(installation, daemon), local, '/tokenize/SIMPLECSV/away.csv')).code, 0);
	const [job] = await settledJobs(await parts, patient(20_000));
	t.is(job.state, 'done');
	const { code, stderr } = await installation.command('account', 'list');
	t.is(code, 1);
	t.regex(stderr, /transit key ours of http:.*cannot be reached: the connection was refused\. Bring the service back/);
	await service.comeBack();
	await until('the service is back', async () => (await opsOf(daemon)).body.status === 'ok');
	await until('the metrics say so', async () => (await opsOf(daemon)).away === 0);
	t.is(await daemon.stop(), 0);

	await service.goAway();
	const began = performance.now();
	await t.throwsAsync(installation.start(), {
		message: /cannot be reached: the connection was refused\. Bring the service back/,
	});
	t.true(performance.now() - began < 30_000, 'the start does not wait for ever');
	await service.comeBack();
	t.is(await (await installation.start()).stop(), 0);
	t.true(keys().length > 0);
	for (const key of keys()) t.false(installation.said().includes(key), 'no key in the log');
});

test.serial('a move beside a running daemon leaves it the former master key until a sweep', async (t) => {
	const { installation } = await openScene(t);
	const daemon = await installation.start();
	t.true((await installation.json('key', 'move', '--to', 'transit')).isFormerNeeded);
	t.like((await opsOf(daemon)).body, { status: 'degraded' });
	await storeCard(installation, daemon);
	t.is(await daemon.stop(), 0);
	useProvider(installation, 'transit');
	const next = await installation.start();
	t.is((await opsOf(next)).body.status, 'ok');
	await storeCard(installation, next);
	t.is(await next.stop(), 0);
});

for (const [direction, to] of [
	['into a service', 'transit'],
	['out of it', 'file'],
] as const) {
	test.serial(`a move ${direction} that is killed at any point leaves exactly one master key that opens`, async (t) => {
		const { service, installation } = await openScene(t);
		t.is(await (await installation.start()).stop(), 0);
		const from = to === 'transit' ? 'file' : 'transit';
		if (from === 'transit') await installation.json('key', 'move', '--to', 'transit');
		useProvider(installation, from);
		const opens = async () => {
			const found: string[] = [];
			for (const provider of ['file', 'transit'] as const) {
				useProvider(installation, provider);
				if ((await installation.command('account', 'list')).code === 0) found.push(provider);
			}
			useProvider(installation, found[0] as 'file' | 'transit');
			return found;
		};
		// The process is killed while it asks the service for the first, second … time, and then some milliseconds after the last.
		const calls = to === 'transit' ? 3 : 2;
		const points = [
			...Array.from({ length: calls }, (_, at) => ({ call: at + 1, ms: 0 })),
			...[1, 5, 10, 20, 40, 80, 160, 5_000].map((ms) => ({ call: calls, ms })),
		];
		const seen = new Set<string>();
		for (const { call, ms } of points) {
			let count = 0;
			const child = spawn(process.execPath, [MAIN, 'key', 'move', '--to', to], {
				env: { ...process.env, ...installation.variables },
				stdio: 'ignore',
			});
			const over = once(child, 'exit');
			service.onOperation = async () => {
				if (++count !== call) return;
				// While the answer is held, the process cannot go on.
				if (ms === 0) await new Promise((resolve) => child.once('exit', resolve).kill('SIGKILL'));
				else void sleep(ms).then(() => child.kill('SIGKILL'));
			};
			await over;
			service.onOperation = undefined;
			const found = await opens();
			t.is(found.length, 1, `call ${call}, ${ms} ms`);
			seen.add(found[0]);
			if (found[0] === to) {
				await installation.json('key', 'move', '--to', from);
				useProvider(installation, from);
			}
		}
		t.deepEqual([...seen].sort(), ['file', 'transit'], 'some were killed before the commit, and one was not');
		t.is((await installation.command('key', 'move', '--to', to)).code, 0);
		t.deepEqual(await opens(), [to]);
	});
}
