// Runs the real `npm run` from a folder that is not the package's.

import test from 'ava';
import { Command } from 'commander';
import { findCallerFolder } from '../../src/base/settings/settings.ts';
import { beginPathsAtCaller } from '../../src/commands/caller-paths.ts';

test('without npm, and within another script of it, paths begin where they always do', (t) => {
	const npm = { npm_package_name: 'tokendrop', INIT_CWD: '/home/clerk' };
	t.is(findCallerFolder({ ...npm, npm_lifecycle_event: 'tokendrop' }), '/home/clerk');
	t.is(findCallerFolder({ ...npm, npm_lifecycle_event: 'start' }), '/home/clerk');
	t.is(findCallerFolder({ ...npm, npm_lifecycle_event: 'test' }), undefined);
	t.is(findCallerFolder({ ...npm, npm_lifecycle_event: 'tokendrop', npm_package_name: 'other' }), undefined);
	t.is(findCallerFolder({ INIT_CWD: '/home/clerk' }), undefined);
	t.is(findCallerFolder({}), undefined);
});

test('standard input and absolute paths stay what they are, and so does what is no path', async (t) => {
	const seen: unknown[] = [];
	const program = new Command().option('--config <file>');
	const command = program
		.command('try')
		.argument('<in>')
		.argument('[out]')
		.option('--file <file>')
		.option('--as <name>');
	command.action((...given) => void seen.push(given.slice(0, 2), given.at(-1).optsWithGlobals()));
	beginPathsAtCaller(program, { npm_package_name: 'tokendrop', npm_lifecycle_event: 'demo', INIT_CWD: '/home/clerk' });
	await program.parseAsync(['try', '/etc/in', '--file', '-', '--as', 'x', '--config', 'a/../b'], { from: 'user' });
	t.deepEqual(seen, [['/etc/in', undefined], { file: '-', as: 'x', config: '/home/clerk/b' }]);
});
