import { Argument, type Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Frame } from '../../installation/frame/command.ts';
import { treeOf } from '../../installation/frame/command-tree.ts';
import { completionScript, SHELLS, type Shell } from '../../installation/frame/completion.ts';
import { EXIT_CODES } from '../../installation/frame/exit-codes.ts';
import { manualPage } from '../../installation/frame/manual.ts';

/** Registers `completion` and `manual`, which write what is made from all commands. */
export function register(program: Command, frame: Frame): void {
	program
		.command('completion')
		.description(
			'write the script with which a shell completes this command line, such as `. <(tokendrop completion bash)`',
		)
		.addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
		.action(
			frame.action(async ({ output }, _options, shell) => {
				const script = completionScript(shell as Shell, treeOf(program));
				output.show({ shell, script }, script);
			}),
		);
	program
		.command('manual')
		.description('write the manual page, such as `tokendrop manual | man -l -`')
		.action(
			frame.action(async ({ output }) => {
				const page = manualPage(treeOf(program), { version: packageJson.version, exitCodes: EXIT_CODES });
				output.show({ page }, page);
			}),
		);
}
