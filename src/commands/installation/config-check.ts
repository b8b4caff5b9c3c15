import { shownSettings } from '../../base/settings/settings.ts';
import { findUnwise } from '../../base/settings/unwise.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/**
 * Registers `config check`. Like every command, it runs only after all settings were read: `command.ts` reports every
 * problem with them and exits with code 78. The command itself shows the settings and warns of unwise ones.
 */
export function register(program: FramedCommand): void {
	program
		.subcommand('config', 'the settings')
		.subcommand('check', 'check every setting and show the outcome, without opening anything')
		.run(async ({ settings, output }) => {
			const shown = shownSettings(settings);
			output.show(shown, linesOf(shown).join('\n'));
			for (const { key, says } of findUnwise(settings)) output.note(`warning: ${key} ${says}`);
		});
}

function linesOf(tree: Record<string, unknown>, prefix = ''): string[] {
	return Object.entries(tree).flatMap(([name, value]) => {
		const isSection = typeof value === 'object' && value !== null;
		return isSection ? linesOf(value as Record<string, unknown>, `${prefix}${name}.`) : [`${prefix}${name}: ${value}`];
	});
}
