import type { Command } from 'commander';
import { findUnwise } from '../settings/unwise.ts';
import { shownSettings } from '../settings.ts';
import type { Frame } from './command.ts';

/**
 * Registers `config check`. The frame loads the settings before it runs the action, and reports every problem with exit
 * code 78.
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
