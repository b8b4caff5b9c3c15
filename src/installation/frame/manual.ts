// Writes the manual page of the command line, in the language of man(7). All that it says of commands is made from them.

import { everyCommand, type TreeCommand, type TreeOption } from './command-tree.ts';

export interface ManualFacts {
	readonly version: string;
	/** What the help of the program says after its commands. */
	readonly exitCodes: string;
}

export function manualPage(program: TreeCommand, { version, exitCodes }: ManualFacts): string {
	const commands = everyCommand(program).filter(({ commands: below, path }) => below.length === 0 && path.length > 0);
	return `${[
		`.TH TOKENDROP 1 "" "tokendrop ${version}" "User Commands"`,
		'.SH NAME',
		`tokendrop \\- ${line(program.description)}`,
		'.SH SYNOPSIS',
		'.B tokendrop',
		'.RI [ options ]',
		'.I command',
		'.RI [ arguments ]',
		'.SH DESCRIPTION',
		line(
			'Every command takes the options below. It works beside a running daemon or without one, with the same settings as ' +
				'the daemon: the file of --config and the TOKENDROP_* variables. Where a command takes a file, - is standard ' +
				'input or, for a file that it writes, standard output. Only --config, --report and --new-master-key-file name a file in any case.',
		),
		'.SH OPTIONS',
		...program.options.flatMap(optionLines),
		'.SH COMMANDS',
		...commands.flatMap(commandLines),
		'.SH EXIT STATUS',
		'.nf',
		...exitCodes.trim().split('\n').map(line),
		'.fi',
		'.SH SEE ALSO',
		line('docs/operations.md, docs/operators.md and docs/settings.md of the program.'),
	].join('\n')}\n`;
}

function commandLines({ path, usage, description, options, arguments: args }: TreeCommand): string[] {
	return [
		`.SS "${line(['tokendrop', ...path, usage].join(' ').trim()).replaceAll('"', '\\(dq')}"`,
		line(description),
		...args
			.filter((each) => each.description !== '')
			.flatMap(({ name, description: text }) => ['.TP', `.I ${line(name)}`, line(text)]),
		...options.flatMap(optionLines),
	];
}

function optionLines({ flags, description }: TreeOption): string[] {
	return ['.TP', `.B ${line(flags)}`, line(description)];
}

/** Returns a line of text in which nothing is taken for a request or an escape. */
function line(text: string): string {
	const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replaceAll('…', '...');
	return plain.startsWith('.') ? `\\&${plain}` : plain;
}
