import type { Command } from 'commander';
import { shownSettings } from '../../base/settings/settings.ts';
import { findUnwise } from '../../base/settings/unwise.ts';
import type { Frame } from '../../installation/frame/command.ts';

/**
 * Registers `config check`. Like every command, it runs only after all settings were read: `command.ts` reports every
 * problem with them and exits with code 78. The command itself shows the settings and warns of unwise ones.
 */
export function register(program: Command, frame: Frame): void {
	program
		.command('config')
		.description('the settings')
		.command('check')
		.description('check every setting and show the outcome, without opening anything')
		.action(
			frame.action(async ({ settings, output }) => {
				const shown = shownSettings(settings);
				output.show(shown, linesOf(shown).join('\n'));
				for (const { key, says } of findUnwise(settings)) output.note(`warning: ${key} ${says}`);
			}),
		);
}

function linesOf(tree: Record<string, unknown>, prefix = ''): string[] {
	return Object.entries(tree).flatMap(([name, value]) => {
		const isSection = typeof value === 'object' && value !== null;
		return isSection ? linesOf(value as Record<string, unknown>, `${prefix}${name}.`) : [`${prefix}${name}: ${value}`];
	});
}
