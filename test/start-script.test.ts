import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import test from 'ava';

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
