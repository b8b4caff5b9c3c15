// `npm test`: types and Biome beside the tests, since each of them leaves a processor idle at times. Fails when one of them does.

import { spawn } from 'node:child_process';

/** Ends with the exit code and, unless it goes to this terminal, with what was said. */
function run(command, args, stdio) {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio });
		let said = '';
		for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
		child.once('error', reject).once('close', (code) => resolve({ code: code ?? 1, said }));
	});
}

const suite = ['--config', 'ava.suite.config.js', ...process.argv.slice(2)];
const [check, tests] = await Promise.all([
	run('npm', ['run', '-s', 'check'], ['ignore', 'pipe', 'pipe']),
	run('ava', suite, 'inherit'),
]);
console.log(`\n  types and Biome: ${check.code === 0 ? 'passed' : 'FAILED'}\n`);
if (check.code !== 0) console.log(check.said);
if (tests.code !== 0) console.log('  tests: FAILED, see above\n');
process.exitCode = check.code || tests.code;
