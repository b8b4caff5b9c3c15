// Starts a real S3 server: Ceph's radosgw, above a monitor and one store that keeps everything in memory.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openOutboundClient } from '../../src/base/outbound/http-client.ts';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';
import { signV4, UNSIGNED_PAYLOAD } from '../../src/base/outbound/sigv4.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import type { Teardown } from './daemon.ts';
import { freePort } from './free-port.ts';
import { patient } from './patience.ts';
import { until } from './until.ts';

export interface Radosgw {
	/** A bucket of the server, which has no objects with the prefix. */
	makePlace(prefix: string): S3Place;
	/** The processes of the server. */
	readonly pids: readonly number[];
	/** The folder of its settings and logs. What is stored is kept in memory. */
	readonly folder: string;
	/** The process that speaks S3, which can end without the loss of what is stored. */
	readonly gateway: {
		kill(): Promise<void>;
		/** Starts it again, and waits until it answers. */
		start(): Promise<void>;
		freeze(): void;
		thaw(): void;
	};
}

const BUCKET = 'drops';
const ACCESS = 'AKTEST';
const SECRET = 'radosgw-secret';
const STEP_WITHIN_MS = patient(60_000);
const runFile = promisify(execFile);
/** Runs a program that ends by itself. It is ended if it waits for a server that has died. */
const run = (program: string, args: readonly string[]) => runFile(program, args, { timeout: STEP_WITHIN_MS });

/** Starts the server with one bucket; it ends with the test. It takes some ten seconds. */
export async function startRadosgw(t: Teardown): Promise<Radosgw> {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-radosgw-'));
	const children: ChildProcess[] = [];
	t.teardown(async () => {
		await Promise.all(children.map(killed));
		rmSync(folder, { recursive: true, force: true });
	});
	const [monitorPort, port] = [await freePort(), await freePort()];
	const config = join(folder, 'ceph.conf');
	const [fsid, store] = [randomUUID(), randomUUID()];
	for (const name of ['mon', 'osd', 'rgw', 'run']) mkdirSync(join(folder, name));
	writeFileSync(config, configuration(fsid, folder, { monitorPort, port }));
	const all = ['-c', config];
	const start = (program: string, ...args: string[]) => {
		const child = spawn(program, [...all, ...args, '-f'], { stdio: 'ignore' });
		children.push(child);
		return child;
	};
	const map = join(folder, 'monmap');
	const address = `[v1:127.0.0.1:${monitorPort}]`;
	await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, map]);
	await run('ceph-mon', [...all, '--mkfs', '-i', 'a', '--monmap', map]);
	start('ceph-mon', '-i', 'a');
	await asked([...all, 'osd', 'new', store]);
	await run('ceph-osd', [...all, '-i', '0', '--mkfs', '--osd-uuid', store]);
	await asked([...all, 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default']);
	start('ceph-osd', '-i', '0');
	const keys = [`--access-key=${ACCESS}`, `--secret=${SECRET}`];
	await run('radosgw-admin', [...all, 'user', 'create', '--uid=test', '--display-name=test', ...keys]);
	const startGateway = () => start('radosgw', '-n', 'client.rgw');
	let gateway = startGateway();
	const place = {
		endpoint: `http://127.0.0.1:${port}`,
		bucket: BUCKET,
		region: 'us-east-1',
		accessKeyId: ACCESS,
		secretKey: new Secret(SECRET),
	};
	await until('radosgw answers', () => makeBucket(place));
	return {
		folder,
		makePlace: (prefix) => ({ ...place, prefix }),
		pids: children.map(({ pid }) => pid!),
		gateway: {
			async kill() {
				await killed(gateway);
			},
			async start() {
				gateway = startGateway();
				await until('radosgw answers', () => makeBucket(place));
			},
			freeze: () => void gateway.kill('SIGSTOP'),
			thaw: () => void gateway.kill('SIGCONT'),
		},
	};
}

/** Sends a command to the monitor, which refuses some while it has only just begun: "wrong fsid". */
async function asked(command: readonly string[]): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			await run('ceph', command);
			return;
		} catch (error) {
			if (tries === 5) throw error;
			await sleep(500);
		}
	}
}

async function makeBucket(place: Omit<S3Place, 'prefix'>): Promise<boolean> {
	const client = openOutboundClient({ allowPrivate: true, maxInFlight: 1 });
	const url = new URL(`${place.endpoint}/${place.bucket}`);
	const call = { method: 'PUT', url, headers: [], payload: UNSIGNED_PAYLOAD };
	const headers = signV4(call, { ...place, service: 's3' }, new Date());
	const deadlineAt = performance.now() + 5_000;
	try {
		const answer = await client.call({ url, method: 'PUT', headers, body: null, deadlineAt, maxAnswerBytes: 1e6 });
		return answer.status === 200;
	} catch {
		return false;
	} finally {
		await client.close();
	}
}

function killed(child: ChildProcess): Promise<unknown> | undefined {
	if (child.exitCode !== null || child.signalCode !== null) return undefined;
	const ended = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGKILL');
	return ended;
}

function configuration(
	fsid: string,
	folder: string,
	{ monitorPort, port }: { readonly monitorPort: number; readonly port: number },
): string {
	return `
[global]
fsid = ${fsid}
mon_initial_members = a
mon_host = v1:127.0.0.1:${monitorPort}/0
ms_bind_msgr2 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_crush_update_on_start = false
osd_class_update_on_start = false
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
osd_objectstore = memstore
memstore_device_bytes = ${4 * 2 ** 30}
run_dir = ${join(folder, 'run')}
log_file = ${join(folder, '$name.log')}
admin_socket = ${join(folder, 'run', '$name.asok')}
[mon.a]
mon_data = ${join(folder, 'mon')}
[osd.0]
osd_data = ${join(folder, 'osd')}
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_data = ${join(folder, 'rgw')}
rgw_enable_ops_log = false
rgw_enable_usage_log = false
rgw_dynamic_resharding = false
rgw_override_bucket_index_max_shards = 1
`;
}
