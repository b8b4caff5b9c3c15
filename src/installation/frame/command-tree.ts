// Describes the whole command line as data, for what is made from it: completion of shells and the manual page.

import type { Argument, Command } from 'commander';

/** What a value is: a path of a file or folder, one of some words, or any text. */
export type ValueKind = 'path' | 'text' | readonly string[];

export interface TreeOption {
	/** As typed, such as `--user-id`. */
	readonly name: string;
	/** The name with its value, such as `--user-id <id>`. */
	readonly flags: string;
	readonly description: string;
	/** The kind of the value; undefined for an option without one. */
	readonly value: ValueKind | undefined;
}

export interface TreeCommand {
	/** The words of the command, such as `api-key create`; none for the program. */
	readonly path: readonly string[];
	readonly description: string;
	/** The arguments in words, such as `<in> [out]`. */
	readonly usage: string;
	readonly options: readonly TreeOption[];
	readonly takesPath: boolean;
	readonly arguments: readonly { readonly name: string; readonly description: string }[];
	readonly commands: readonly TreeCommand[];
}

/** Options and arguments whose value has one of these names are paths. */
export const PATH_NAMES = ['file', 'folder', 'in', 'out'];

export function treeOf(command: Command, path: readonly string[] = []): TreeCommand {
	const given = command.registeredArguments.map((argument) => ({
		name: argument.name(),
		description: argument.description,
		usage: usageOf(argument),
	}));
	return {
		path,
		description: command.description(),
		usage: given.map(({ usage }) => usage).join(' '),
		options: command.options.map((option) => ({
			name: option.long!,
			flags: option.flags,
			description: option.description,
			value: option.isBoolean() || option.negate ? undefined : kindOfValue(option.flags, option.argChoices),
		})),
		takesPath: given.some(({ name }) => PATH_NAMES.includes(name)),
		arguments: given,
		commands: command.commands.map((each) => treeOf(each, [...path, each.name()])),
	};
}

function usageOf(argument: Argument): string {
	const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
	return argument.required ? `<${name}>` : `[${name}]`;
}

function kindOfValue(flags: string, choices: readonly string[] | undefined): ValueKind {
	if (choices) return choices;
	const name = /[<[](\w+)/.exec(flags)?.[1] ?? '';
	return PATH_NAMES.includes(name) ? 'path' : 'text';
}

export function everyCommand(tree: TreeCommand): TreeCommand[] {
	return [tree, ...tree.commands.flatMap(everyCommand)];
}
