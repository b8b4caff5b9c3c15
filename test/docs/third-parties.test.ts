// docs/third-parties.md and the recipes tell the truth: what they say is typed into a shell beside a daemon, with the
// stand-ins of the recipes for third parties.

import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { startInstallation } from '../helpers/daemon.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import { readPage, runExamples } from '../helpers/page-examples.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What a reader has set: the variables every page begins with. */
async function openReader(t: ExecutionContext) {
	const standIns = await startStandIns(t);
	const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' };
	const { installation, daemon } = await startInstallation(t, { variables });
	const programs = makeFolder(t);
	const tokendrop = join(programs, 'tokendrop');
	writeFileSync(tokendrop, `#!/bin/sh\nexec '${process.execPath}' '${pathOf('src/main.ts')}' "$@"\n`);
	chmodSync(tokendrop, 0o755);
	return {
		PATH: `${programs}:${process.env.PATH}`,
		...installation.variables,
		...standIns,
		BASE: daemon.baseUrl,
		API_KEY: installation.demo.apiKey,
	};
}

/** The lines it prints are the variables a reader sets. */
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
		await runExamples(t, examples, await openReader(t));
	},
});

test.serial(executes, 'recipes/hotel-channel.md', 5);
test.serial(executes, 'recipes/airline.md', 4);
test.serial(executes, 'recipes/payment-provider.md', 6);
test.serial(executes, 'third-parties.md', 5);
