// `npm run` changes into the folder of the package before it starts anything, whatever the folder of its caller: there paths
// of the command line begin in the caller's folder, which npm tells. Paths in settings begin where they always do.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findCallerFolder } from '../settings.ts';
import { STANDARD_INPUT } from './command.ts';

/** What options and arguments call their value where it is a path. */
const PATH_NAMES = ['file', 'folder', 'in', 'out'];

/** Has every path that a command of the program is given begin where the caller of `npm run` is; without npm does nothing. */
export function beginPathsAtCaller(program: Command, env?: Readonly<Record<string, string | undefined>>): void {
	const folder = findCallerFolder(env);
	if (folder !== undefined) beginPathsIn(folder, program);
}

function beginPathsIn(folder: string, program: Command): void {
	const toPath = (text: string) => (text === '' || text === STANDARD_INPUT ? text : resolve(folder, text));
	for (const option of program.options) {
		const name = /[<[](\w+)/.exec(option.flags)?.[1];
		if (name !== undefined && PATH_NAMES.includes(name)) option.argParser(toPath);
	}
	for (const argument of program.registeredArguments) {
		if (PATH_NAMES.includes(argument.name())) argument.argParser(toPath);
	}
	for (const command of program.commands) beginPathsIn(folder, command);
}
