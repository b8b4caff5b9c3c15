import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { openInstallation, startInstallation } from './helpers/daemon.ts';
import { makeFolder } from './helpers/file-parts.ts';

const START_MEMORY = new URL('../src/base/threads/start-memory.ts', import.meta.url).href;
/** As large as a heap may get before V8 collects all of it; the garbage of the script below stays below that. */
const LATE = '--initial-old-space-size=112';
const MB = 1_000_000;

test('garbage is collected and its memory given back, and the thread goes on', async (t) => {
	const script = `
		import { collectStartGarbage } from ${JSON.stringify(START_MEMORY)};
		let kept = Array.from({ length: 800_000 }, (_, n) => ({ n }));
		kept = kept.length;
		const before = process.memoryUsage.rss();
		await collectStartGarbage();
		await new Promise((resolve) => setTimeout(resolve, 10));
		console.log(before - process.memoryUsage.rss());
	`;
	const { stdout } = await promisify(execFile)(process.execPath, [LATE, '--input-type=module', '--eval', script]);
	t.true(Number(stdout) > 20 * MB, `${stdout} bytes given back`);
});

test('short-lived buffers do not have the whole heap collected', async (t) => {
	const script = `
		import { PerformanceObserver } from 'node:perf_hooks';
		import { countBuffersInHeap } from ${JSON.stringify(START_MEMORY)};
		if (process.argv[1] === 'counted') countBuffersInHeap();
		let whole = 0;
		new PerformanceObserver((list) => {
			for (const { detail } of list.getEntries()) if (detail.kind === 4) whole++;
		}).observe({ entryTypes: ['gc'] });
		const live = Array.from({ length: 400_000 }, (_, n) => ({ n }));
		for (let n = 0, kept = []; n < 40_000; n++) {
			if (n % 700 === 0) kept = [];
			kept.push(Buffer.allocUnsafeSlow(65_536));
			if (n % 100 === 0) await new Promise(setImmediate);
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
		console.log(whole, live.length);
	`;
	const run = async (...given: string[]) => {
		const heap = ['--max-semi-space-size=16', LATE];
		const { stdout } = await promisify(execFile)(process.execPath, [
			...heap,
			...['--input-type=module', '--eval', script, ...given],
		]);
		return Number.parseInt(stdout, 10);
	};
	const [before, counted] = [await run('not'), await run('counted')];
	t.true(counted < before / 2, `${before} collections of the whole heap before, ${counted} now`);
});

test('the code that was compiled is in the cache, although the process is killed', async (t) => {
	const cache = join(makeFolder(t), 'cache');
	mkdirSync(cache);
	const script = `
		import { freeCompiledCode } from ${JSON.stringify(START_MEMORY)};
		freeCompiledCode();
		console.log('done');
		setInterval(() => {}, 1000);
	`;
	const environment = { ...process.env, NODE_COMPILE_CACHE: cache };
	const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env: environment });
	await once(child.stdout, 'data');
	child.kill('SIGKILL');
	await once(child, 'exit');
	t.true(readdirSync(cache, { recursive: true }).length > 1);
});

test('after a daemon that was killed, the next one compiles nothing, so that it need not load the compiler', async (t) => {
	const cache = makeFolder(t);
	const variables = { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
	const installation = await openInstallation(t, { variables });
	await (await installation.start()).kill();
	const daemon = await installation.start();
	t.true(daemon.log().includes('retrieving transpile cache'));
	t.deepEqual(daemon.log().match(/saving transpilation cache.*/g) ?? [], []);
});

test('a daemon that is ready has the garbage of its start no more', async (t) => {
	const { daemon } = await startInstallation(t);
	const text = await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text();
	const sizes = new Map(
		[...text.matchAll(/^tokendrop_nodejs_heap_space_size_total_bytes\{space="(\w+)".*\} (\S+)$/gm)].map((line) => [
			line[1],
			Number(line[2]),
		]),
	);
	// While a daemon starts, the space for new objects grows to twice the size that `npm start` sets, which is 16 MiB.
	t.true(sizes.get('new')! > 0 && sizes.get('new')! < 16 * 1024 * 1024, `${sizes.get('new')} bytes`);
});
