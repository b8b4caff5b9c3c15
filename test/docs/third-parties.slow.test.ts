// Checks docs/third-parties.md and the recipes: their commands are typed into a shell beside a daemon, with the stand-ins
// of the recipes for third parties.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { readPage, runExamples } from '../helpers/page-examples.ts';
import { openReader } from '../helpers/page-reader.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Opens a daemon for a reader of the recipes. It may call private addresses, because the stand-ins are on this machine. */
async function openReaderOfRecipes(t: ExecutionContext) {
	const standIns = await startStandIns(t);
	return { ...(await openReader(t, { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' })), ...standIns };
}

/** Starts the stand-ins, and returns the variables that a reader sets, which are the lines that they print. */
async function startStandIns(t: ExecutionContext): Promise<Record<string, string>> {
	const child = spawn(process.execPath, [pathOf('docs/recipes/stand-ins.mjs'), '0']);
	t.teardown(() => child.kill());
	let printed = '';
	for await (const piece of child.stdout) {
		printed += piece;
		const found = [...printed.matchAll(/^export (\w+)=(\S+)\n/gm)];
		if (found.length === 3) return Object.fromEntries(found.map(([, name, value]) => [name, value]));
	}
	throw new Error(`the stand-ins did not start: ${printed}`);
}

const executes = test.macro({
	title: (_, path: string) => `every example of docs/${path} does what it shows`,
	async exec(t: ExecutionContext, path: string, least: number) {
		const { examples, shellBlocks } = readPage(path);
		t.is(examples.length, shellBlocks, 'every shell block has its output');
		t.true(examples.length >= least);
		await runExamples(t, examples, await openReaderOfRecipes(t));
	},
});

testNeeding('curl', 'openssl and xxd').serial(executes, 'recipes/hotel-channel.md', 5);
testNeeding('curl', 'openssl and xxd').serial(executes, 'recipes/airline.md', 4);
testNeeding('curl', 'openssl and xxd').serial(executes, 'recipes/payment-provider.md', 6);
testNeeding('curl', 'openssl and xxd').serial(executes, 'third-parties.md', 5);
