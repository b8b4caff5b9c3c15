import { Argument } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT_CODES } from '../../installation/frame/command.ts';
import { treeOf } from '../../installation/frame/command-tree.ts';
import { completionScript, SHELLS, type Shell } from '../../installation/frame/completion.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { manualPage } from '../../installation/frame/manual.ts';

export function register(program: FramedCommand): void {
	program
		.subcommand(
			'completion',
			'write the script with which a shell completes this command line, such as `. <(tokendrop completion bash)`',
		)
		.addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
		.run(async ({ output }, _options, shell) => {
			const script = completionScript(shell as Shell, treeOf(program));
			output.show({ shell, script }, script);
		});
	program
		.subcommand('manual', 'write the manual page, such as `tokendrop manual | man -l -`')
		.run(async ({ output }) => {
			const page = manualPage(treeOf(program), { version: packageJson.version, exitCodes: EXIT_CODES });
			output.show({ page }, page);
		});
}
