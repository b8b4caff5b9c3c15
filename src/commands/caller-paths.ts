// Resolves the paths of a command line. `npm run` changes into the folder of the package. Paths on the command line are
// therefore resolved from the caller's folder, which npm passes on in a variable. Paths in settings are not changed.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findCallerFolder } from '../base/settings/settings.ts';
import { STANDARD_INPUT } from '../installation/frame/command.ts';
import { PATH_NAMES } from '../installation/frame/command-tree.ts';

/** Makes paths on a command line relative to the folder of the caller of `npm run`. Without npm it does nothing. */
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
