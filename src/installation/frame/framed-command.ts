import { Command } from 'commander';
import type { CommandAction, Frame } from './command.ts';

/** A command, or a group of them, whose action runs in the frame. */
export class FramedCommand extends Command {
	readonly #frame: Frame;

	constructor(frame: Frame, name?: string) {
		super(name);
		this.#frame = frame;
	}

	override createCommand(name?: string): FramedCommand {
		return new FramedCommand(this.#frame, name);
	}

	subcommand(name: string, description: string): FramedCommand {
		return this.command(name).description(description);
	}

	/** Adds a command about one account, which the option `--user-id` names, and returns it. */
	ofAccount(name: string, description: string): FramedCommand {
		return this.subcommand(name, description).requiredOption('--user-id <id>', 'the account');
	}

	run<Options = Record<string, never>>(action: CommandAction<Options>): this {
		return this.action(this.#frame.action(action));
	}

	runDaemon(action: CommandAction<Record<string, never>>): this {
		return this.action(this.#frame.daemonAction(action));
	}
}
