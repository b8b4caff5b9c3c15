// What a first start makes survives a power failure that comes right after it.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../helpers/file-parts.ts';
import { type SystemCall, traceCalls } from '../helpers/strace.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const traceTest = testNeeding('strace, with the right to trace');

const START = `
	import { openDaemon } from ${JSON.stringify(new URL('../../src/app/daemon.ts', import.meta.url).href)};
	import { openLogger } from ${JSON.stringify(new URL('../../src/base/log/log.ts', import.meta.url).href)};
	import { loadSettings } from ${JSON.stringify(new URL('../../src/base/settings/settings.ts', import.meta.url).href)};
	const settings = loadSettings({ env: process.env });
	const daemon = await openDaemon({ settings, logger: openLogger({ level: 'warn' }) });
	await daemon.close();
`;

/** These files have no content, or are made anew by every start. */
const IS_LOCK = /\.lock$|\.schema-lock$/;

traceTest('everything that a first start makes is synced, its name too, before it is used', async (t) => {
	const root = makeFolder(t);
	const dataDir = join(root, 'var', 'data');
	const { calls, code, stderr } = await traceCalls(
		['-s', '4096', '-e', 'trace=openat,mkdir,link,rename,fsync,fdatasync'],
		[process.execPath, '--input-type=module', '-e', START],
		{
			...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, TOKENDROP_DATA_DIR: dataDir },
			...{ TOKENDROP_HTTP_PORT: '0', TOKENDROP_SFTP_PORT: '0', TOKENDROP_OPS_PORT: '0', TOKENDROP_WORKERS: '1' },
		},
	);
	t.is(code, 0, stderr);
	const steps = calls.filter(({ returned }) => !returned.startsWith('-1')).map(readStep);
	const isSyncedAfter = (path: string, from: number) =>
		steps.some((step, at) => at > from && step.does === 'sync' && step.path === path);
	const made = (readdirSync(root, { recursive: true }) as string[]).map((name) => join(root, name));
	const kept = made.filter((path) => !IS_LOCK.test(path)).sort();
	t.deepEqual(
		kept.map((path) => path.slice(dataDir.length)).filter((path) => path.startsWith('/')),
		[
			...['/audit-heads.jsonl', '/host-keys'],
			...['ecdsa', 'ed25519', 'rsa'].flatMap((kind) =>
				['', '.pub'].map((ending) => `/host-keys/ssh_host_${kind}_key${ending}`),
			),
			...['/last-settings', '/last-settings/1.json', '/master.key', '/tokendrop.sqlite'],
		],
	);
	for (const path of kept) {
		const named = steps.findIndex((step) => step.does === 'name' && step.path === path);
		t.true(named >= 0, `${path} is made`);
		t.true(isSyncedAfter(dirname(path), named), `the name of ${path} is synced`);
		if (statSync(path).isDirectory()) continue;
		const { from } = steps[named];
		const synced = steps.findIndex((step) => step.does === 'sync' && step.path === (from ?? path));
		t.true(synced >= 0 && (from === undefined || synced < named), `${path} is synced, and before it gets its name`);
	}
	const key = steps.findIndex((step) => step.does === 'name' && basename(step.path) === 'master.key');
	const next = steps.slice(key).find(({ does }) => does === 'sync');
	t.is(next?.path, dataDir, 'the master key is durable before anything is stored under it');
});

interface Step {
	readonly does: 'name' | 'sync' | 'nothing';
	readonly path: string;
	/** The name under which the file was written before it got this one. */
	readonly from?: string;
}

/** Says what a call does to a name or a file. */
function readStep({ name, given }: SystemCall): Step {
	const paths = [...given.matchAll(/"([^"]*)"/g)].map(([, path]) => path);
	if (name.endsWith('sync')) return { does: 'sync', path: /<(.*)>/.exec(given)![1] };
	if (name === 'link' || name === 'rename') return { does: 'name', path: paths[1], from: paths[0] };
	return { does: name === 'mkdir' || given.includes('O_CREAT') ? 'name' : 'nothing', path: paths[0] };
}
