// Draws docs/first-upload.svg from a real run: a daemon that `npm start` starts on a data directory of its own, and OpenSSH's
// sftp. Wants the usual ports to be free, since the picture shows what README.md says.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawTerminal } from './terminal-picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'first-upload-'));
const INPUT = 'fixtures/SIMPLECSV/01-basic/input.csv';
const REMOTE = 'SIMPLECSV/first.csv';

const npm = spawn('npm', ['start', '--silent'], {
	cwd: root,
	env: { ...process.env, TOKENDROP_DATA_DIR: join(folder, 'data') },
	stdio: ['ignore', 'pipe', 'ignore'],
});
try {
	const started = await firstWords();
	const key = /^ {2}key +(\S+)$/m.exec(started)[1];
	const askpass = join(folder, 'askpass');
	writeFileSync(askpass, '#!/bin/sh\nprintf "%s\\n" "$FIRST_KEY"\n', { mode: 0o700 });
	const sftp = (command) => {
		const options = ['BatchMode=no', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'].flatMap((each) => [
			'-o',
			each,
		]);
		return execFileSync('sftp', ['-q', '-F', 'none', ...options, '-P', '2022', '-b', '-', 'demo@127.0.0.1'], {
			cwd: root,
			env: { ...process.env, FIRST_KEY: key, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' },
			input: `${command}\n`,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
	};
	const output = join(folder, 'first.csv');
	sftp(`put ${INPUT} /tokenize/${REMOTE}`);
	await untilThere(() => sftp(`get /tokenized/${REMOTE} ${output}`));
	const head = (path) =>
		readFileSync(path, 'utf8')
			.split('\n')
			.slice(0, 4)
			.map((text) => ({ text }));
	const typed = (prompt, text, pauseSeconds) => ({ typed: true, prompt, text, pauseSeconds });
	const lines = [
		typed('$ ', 'npm start', 1),
		...started
			.trimEnd()
			.split('\n')
			.filter((line) => !/host key|compiled binding/.test(line))
			.map((text) => ({ text })),
		{ text: '', pauseSeconds: 1.2 },
		{ prompt: '# in a second terminal, in the same folder', text: '', pauseSeconds: 0.8 },
		typed('$ ', `head -4 ${INPUT}`),
		...head(join(root, INPUT)),
		{ text: '', pauseSeconds: 1.2 },
		typed('$ ', 'sftp -P 2022 demo@127.0.0.1'),
		{ text: "demo@127.0.0.1's password:", pauseSeconds: 1 },
		typed('sftp> ', `put ${INPUT} /tokenize/${REMOTE}`, 1),
		typed('sftp> ', `get /tokenized/${REMOTE}`, 1),
		typed('sftp> ', 'exit'),
		{ text: '' },
		typed('$ ', 'head -4 first.csv'),
		...head(output),
	];
	const picture = drawTerminal({
		title: 'The first upload',
		description: 'npm start, a file with card numbers goes in over sFTP, and comes back with tokens in place of them.',
		lines,
		marks: [
			[/\b\d{15,16}\b/, 'card'],
			[/\b[0-9a-f]{32}\b/, 'token'],
			[/td_sandbox_[\w-]+/, 'key'],
		],
	});
	writeFileSync(join(root, 'docs', 'first-upload.svg'), picture);
} finally {
	npm.kill('SIGTERM');
	await new Promise((resolve) => npm.once('exit', resolve));
	rmSync(folder, { recursive: true, force: true });
}

/** What the daemon says until its key was shown. */
function firstWords() {
	return new Promise((resolve, reject) => {
		let said = '';
		npm.once('exit', () => reject(new Error(`the daemon did not start: ${said}`)));
		npm.stdout.setEncoding('utf8').on('data', (text) => {
			said += text;
			const shown = /^[\s\S]*^ {2}portal +\S+\n/m.exec(said);
			if (shown) resolve(shown[0]);
		});
	});
}

async function untilThere(get) {
	for (let turn = 0; ; turn++) {
		try {
			return get();
		} catch (error) {
			if (turn === 50) throw error;
			await sleep(200);
		}
	}
}
