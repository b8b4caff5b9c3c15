// Runs the snippets of the guide, as they stand, against a real daemon.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Installation, type RunningDaemon, startInstallation } from '../../helpers/daemon.ts';
import { makeFolder } from '../../helpers/file-parts.ts';
import { testNeeding } from '../../helpers/test-needing.ts';

let daemon: RunningDaemon;
let installation: Installation;
const releases: (() => unknown)[] = [];

test.before(async () => {
	const t = { teardown: (release: () => unknown) => void releases.unshift(release) };
	({ daemon, installation } = await startInstallation(t));
});
test.after.always(async () => {
	for (const release of releases) await release();
});

function blocksOf(page: string, language: string): string[] {
	const text = readFileSync(new URL(`../../../docs/guide/${page}.md`, import.meta.url), 'utf8');
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block);
}

function run(program: string, args: readonly string[], input: string, cwd?: string): Promise<string> {
	const env = {
		PATH: process.env.PATH,
		HOME: process.env.HOME,
		BASE: daemon.baseUrl,
		API_KEY: installation.demo.apiKey,
	};
	return new Promise((resolve, reject) => {
		const child = execFile(program, args, { env, cwd, timeout: 60_000 }, (error, stdout, stderr) =>
			error ? reject(new Error(`${program}: ${error.message} ${stderr}`)) : resolve(stdout),
		);
		child.stdin!.end(input);
	});
}

const RESULT = '"LastDigits":"1111"\ndeleted: 200';

/** Returns the one snippet of a language. */
function snippetIn(language: string): string {
	const blocks = blocksOf('snippets', language);
	if (blocks.length !== 1) throw new Error(`${blocks.length} snippets in ${language}`);
	return blocks[0];
}

const does = test.macro({
	async exec(t, language: string, program: string, args: readonly string[]) {
		t.is((await run(program, args, snippetIn(language))).trim(), RESULT);
		t.false(daemon.log().includes('4111111111111111'));
	},
	title: (_, language) => `the snippet in ${language} stores a card, reads what is known of it and deletes it`,
});
test('there is one snippet in each of six languages', (t) => {
	for (const language of ['curl', 'js', 'python', 'php', 'java', 'csharp']) {
		t.is(blocksOf('snippets', language).length, 1, language);
	}
});

testNeeding('curl')(does, 'curl', 'bash', ['-s']);
test(does, 'js', process.execPath, ['--input-type=module', '-']);
testNeeding('python3')(does, 'python', 'python3', ['-']);
testNeeding('PHP with curl (php-cli, php-curl)')(does, 'php', 'php', []);

/** Tests the snippets of languages that need a file and a compiler. */
const doesCompiled = test.macro({
	async exec(t, language: string, fileName: string, ...steps: readonly (readonly string[])[]) {
		const folder = makeFolder(t);
		writeFileSync(join(folder, fileName), snippetIn(language));
		let said = '';
		for (const [program, ...args] of steps) said = await run(program, args, '', folder);
		t.is(said.trim(), RESULT);
		t.false(daemon.log().includes('4111111111111111'));
	},
	title: (_, language) =>
		`the snippet in ${language} compiles, stores a card, reads what is known of it and deletes it`,
});
testNeeding('a Java compiler (default-jdk-headless)')(
	doesCompiled,
	'java',
	'FirstCard.java',
	['javac', 'FirstCard.java'],
	['java', 'FirstCard'],
);
testNeeding('Mono (mono-mcs, libmono-system-net-http4.0-cil)')(
	doesCompiled,
	'csharp',
	'FirstCard.cs',
	['mcs', '-r:System.Net.Http', 'FirstCard.cs'],
	['mono', 'FirstCard.exe'],
);

testNeeding('curl')('the first steps do what they say', async (t) => {
	const [look, store] = blocksOf('first-steps', 'curl');
	t.is(JSON.parse(await run('bash', ['-s'], look)).environment, 'sandbox');
	const stored = await run('bash', ['-s'], store);
	t.regex(stored, /^HTTP\/1\.1 201 /);
	t.regex(stored, /\r\nlocation: \S+\/[0-9a-f]{32}\r\n/i);
	t.true(stored.includes('411111******1111'));
});
