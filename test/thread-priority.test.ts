import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { testOnLinux } from './helpers/test-on-linux.ts';

const MODULE = new URL('../src/base/threads/thread-priority.ts', import.meta.url).href;

testOnLinux('a thread that gives way has a lower priority, its process has not', async (t) => {
	const before = getPriority();
	const worker = new Worker(
		`const { giveWay } = await import(${JSON.stringify(MODULE)});
		const { readlinkSync } = await import('node:fs');
		const { getPriority } = await import('node:os');
		const { parentPort } = await import('node:worker_threads');
		giveWay();
		parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));`,
		{ eval: true },
	);
	const [priority] = await once(worker, 'message');
	t.is(priority, 10);
	t.is(getPriority(), before);
	await worker.terminate();
});
