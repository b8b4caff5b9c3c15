// Writes the scripts with which shells complete the command line. All that they know is made from the commands.

import { everyCommand, type TreeCommand, type TreeOption } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the script for a shell, which it reads at its start. */
export function completionScript(shell: Shell, program: TreeCommand): string {
	if (shell === 'fish') return fishScript(program);
	// zsh reads bash's functions, once it has loaded what they call.
	const before = shell === 'zsh' ? '#compdef tokendrop\nautoload -U +X bashcompinit && bashcompinit\n' : '';
	return `${before}${bashScript(program)}`;
}

const HELP: TreeOption = { name: '--help', flags: '--help', description: 'display help for command', value: undefined };

function bashScript(program: TreeCommand): string {
	const cases = everyCommand(program).map((command) => {
		const options = [...(command.path.length === 0 ? [] : command.options), ...program.options, HELP];
		const named = (list: readonly TreeOption[]) => quoted(list.map(({ name }) => name).join(' '));
		const choices = options.flatMap(({ name, value }) =>
			Array.isArray(value) ? [`\t\t\tcase $previous in ${name}) words=${quoted(value.join(' '))} ;; esac`] : [],
		);
		return [
			`\t\t${quoted(command.path.join(' '))})`,
			`\t\t\tcommands=${quoted(command.commands.map(({ path }) => path.at(-1)).join(' '))}`,
			`\t\t\toptions=${named(options)}`,
			`\t\t\tvalued=${named(options.filter(({ value }) => value !== undefined))}`,
			`\t\t\tpaths=${named(options.filter(({ value }) => value === 'path'))}`,
			`\t\t\ttakes_path=${command.takesPath ? 'yes' : ''}`,
			...choices,
			'\t\t\t;;',
		].join('\n');
	});
	return `# Completion of tokendrop, written by \`tokendrop completion\`.
_tokendrop_command() {
	words=
	case "$1" in
${cases.join('\n')}
	esac
}
_tokendrop() {
	local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
	local path='' skip='' i word words commands options valued paths takes_path
	COMPREPLY=()
	_tokendrop_command ''
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=\${COMP_WORDS[i]}
		if [ -n "$skip" ]; then
			skip=
		elif [[ $word == -* ]]; then
			if [[ " $valued " == *" $word "* ]]; then skip=yes; fi
		elif [[ " $commands " == *" $word "* ]]; then
			path="\${path:+$path }$word"
			_tokendrop_command "$path"
		fi
	done
	if [ -n "$skip" ]; then
		if [[ " $paths " == *" $previous "* ]]; then
			compopt -o filenames 2>/dev/null
			local IFS=$'\\n'
			COMPREPLY=($(compgen -f -- "$current"))
		elif [ -n "$words" ]; then
			COMPREPLY=($(compgen -W "$words" -- "$current"))
		fi
	elif [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$current"))
	elif [ -n "$commands" ]; then
		COMPREPLY=($(compgen -W "$commands" -- "$current"))
	elif [ -n "$takes_path" ]; then
		compopt -o filenames 2>/dev/null
		local IFS=$'\\n'
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}
complete -F _tokendrop tokendrop
`;
}

function fishScript(program: TreeCommand): string {
	const every = everyCommand(program);
	const valued = new Set(every.flatMap((command) => command.options.filter(({ value }) => value !== undefined)));
	const names = [...new Set([...valued].map(({ name }) => name))].sort();
	const at = (path: readonly string[]) => quoted(`__tokendrop_at ${quoted(path.join(' '))}`);
	const lines = every.flatMap((command) => [
		...command.commands.map(
			({ path, description }) =>
				`complete -c tokendrop -f -n ${at(command.path)} -a ${quoted(path.at(-1)!)} -d ${quoted(description)}`,
		),
		...(command.takesPath ? [`complete -c tokendrop -F -n ${at(command.path)}`] : []),
		...(command.path.length === 0 ? [] : command.options).map((option) =>
			fishOption(option, `-n ${at(command.path)} `),
		),
	]);
	return `# Completion of tokendrop, written by \`tokendrop completion\`.
function __tokendrop_at
	set -l path
	set -l skip 0
	for word in (commandline -opc)[2..-1]
		if test $skip = 1
			set skip 0
			continue
		end
		switch $word
			case ${names.join(' ')}
				set skip 1
			case '-*'
			case '*'
				set -l longer (string join ' ' -- $path $word)
				if contains -- "$longer" ${every
					.slice(1)
					.map(({ path }) => quoted(path.join(' ')))
					.join(' ')}
					set -a path $word
				end
		end
	end
	test "$path" = "$argv[1]"
end
complete -c tokendrop -f
${[...lines, ...[...program.options, HELP].map((option) => fishOption(option, ''))].join('\n')}
`;
}

function fishOption({ name, description, value }: TreeOption, condition: string): string {
	const words = Array.isArray(value) ? ` -x -a ${quoted(value.join(' '))}` : '';
	const kind = value === 'path' ? ' -r -F' : value === 'text' ? ' -x' : words;
	return `complete -c tokendrop ${condition}-l ${name.slice(2)}${kind} -d ${quoted(description)}`;
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
