import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const LIMITED_THREAD = new URL('../src/base/threads/thread-holder.ts', import.meta.url).href;
/** Fills the young generation with objects that live for a while, and reports how large it has become. */
const THREAD = `
	import { getHeapSpaceStatistics } from 'node:v8';
	import { parentPort } from 'node:worker_threads';
	let most = 0;
	for (let round = 0; round < 200; round++) {
		const kept = Array.from({ length: 50_000 }, (_, n) => ({ n }));
		const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
		most = Math.max(most, kept.length && space.space_size);
	}
	parentPort.postMessage(most);
`;

test('the limits of a thread hold, whatever size the process has for the young generation of its main thread', async (t) => {
	const script = `
		import { startLimitedThread } from ${JSON.stringify(LIMITED_THREAD)};
		const thread = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)}));
		startLimitedThread(thread, { maxYoungGenerationSizeMb: 16 }).once('message', (bytes) => console.log(bytes));
	`;
	const command = ['--max-semi-space-size=16', '--input-type=module', '--eval', script];
	const { stdout } = await promisify(execFile)(process.execPath, command);
	t.true(Number(stdout) > 0, stdout);
	t.true(Number(stdout) < 20_000_000, `${stdout} bytes`);
});
