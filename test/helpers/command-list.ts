import { globSync } from 'node:fs';
import type { Command } from 'commander';
import { createFrame } from '../../src/installation/frame/command.ts';
import { FramedCommand } from '../../src/installation/frame/framed-command.ts';

const FOLDER = new URL('../../src/commands/', import.meta.url);

/** Returns the names of all commands, such as `api-key create`. */
export async function listCommands(): Promise<string[]> {
	const sink = { write: () => {} };
	const frame = createFrame({ env: {}, stdout: sink, stderr: sink, onExit: () => {} });
	const program = new FramedCommand(frame);
	for (const name of globSync('**/*.ts', { cwd: FOLDER }).sort()) {
		const { register } = await import(new URL(name, FOLDER).href);
		register?.(program);
	}
	return leavesOf(program, []).sort();
}

function leavesOf(command: Command, path: readonly string[]): string[] {
	if (command.commands.length === 0) return [path.join(' ')];
	return command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()]));
}
