import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { makeFolder } from './helpers/file-parts.ts';
import { until } from './helpers/until.ts';

test('SIGUSR1 opens no debugger in a daemon that npm start has started', async (t) => {
	const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
	const flags = (scripts.start as string).split(' ').filter((word) => word.startsWith('--'));
	const child = spawn(process.execPath, [...flags, '-e', 'console.log("up"); setTimeout(() => {}, 1000)']);
	let said = '';
	child.stderr.on('data', (chunk) => (said += chunk));
	await once(child.stdout, 'data');
	child.kill('SIGUSR1');
	await once(child, 'exit');
	t.is(said, '');
});

test('npm start hands SIGTERM on to the daemon, and leaves none behind', async (t) => {
	const dataDir = makeFolder(t);
	const ports = { TOKENDROP_SFTP_PORT: '0', TOKENDROP_HTTP_PORT: '0', TOKENDROP_OPS_PORT: '0' };
	const npm = spawn('npm', ['start', '--silent'], {
		cwd: fileURLToPath(new URL('..', import.meta.url)),
		env: { ...process.env, ...ports, TOKENDROP_DATA_DIR: dataDir },
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	t.teardown(() => npm.kill('SIGKILL'));
	let said = '';
	npm.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
	await until('the daemon is ready', async () => said.includes('Tokendrop is ready'));
	const baseUrl = /HTTP at (\S+?),/.exec(said)![1];
	t.is((await fetch(`${baseUrl}/openapi.json`)).status, 200);
	npm.kill('SIGTERM');
	await once(npm, 'exit');
	await until(
		'nobody listens',
		async () =>
			await fetch(baseUrl).then(
				() => false,
				() => true,
			),
	);
	t.pass();
});
