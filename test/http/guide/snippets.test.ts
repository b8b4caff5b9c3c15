// The snippets of the guide, as they stand, against a real daemon.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { type Installation, type RunningDaemon, startInstallation } from '../../helpers/daemon.ts';

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

function run(program: string, args: readonly string[], input: string): Promise<string> {
	const env = {
		PATH: process.env.PATH,
		HOME: process.env.HOME,
		BASE: daemon.baseUrl,
		API_KEY: installation.demo.apiKey,
	};
	return new Promise((resolve, reject) => {
		const child = execFile(program, args, { env, timeout: 60_000 }, (error, stdout, stderr) =>
			error ? reject(new Error(`${program}: ${error.message} ${stderr}`)) : resolve(stdout),
		);
		child.stdin!.end(input);
	});
}

const does = test.macro({
	async exec(t, language: string, program: string, args: readonly string[]) {
		const [snippet, ...others] = blocksOf('snippets', language);
		t.deepEqual(others, []);
		t.is((await run(program, args, snippet)).trim(), '"LastDigits":"1111"\ndeleted: 200');
		t.false(daemon.log().includes('4111111111111111'));
	},
	title: (_, language) => `the snippet in ${language} stores a card, reads what is known of it and deletes it`,
});
test(does, 'curl', 'bash', ['-s']);
test(does, 'js', process.execPath, ['--input-type=module', '-']);
test(does, 'python', 'python3', ['-']);

test('the first steps do what they say', async (t) => {
	const [look, store] = blocksOf('first-steps', 'curl');
	t.is(JSON.parse(await run('bash', ['-s'], look)).environment, 'sandbox');
	const stored = await run('bash', ['-s'], store);
	t.regex(stored, /^HTTP\/1\.1 201 /);
	t.regex(stored, /\r\nlocation: \S+\/[0-9a-f]{32}\r\n/i);
	t.true(stored.includes('411111******1111'));
});

test('there are snippets in six languages', (t) => {
	for (const language of ['curl', 'js', 'python', 'csharp', 'php', 'java']) {
		t.is(blocksOf('snippets', language).length, 1, language);
	}
});
