// The frame in which every command runs: settings, log, output, release and exit codes. Command files import other
// folders inside their actions, so that `--help` and `config check` do not wait for a database driver to load.

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { type FilePosition, ServiceError } from '../../base/errors.ts';
import { type Closable, type ProcessPort, Releases } from '../../base/lifecycle.ts';
import { type Logger, logLines, openLogger } from '../../base/log/log.ts';
import { redactText } from '../../base/log/redaction.ts';
import { findAgentSocket, loadSettings, type Settings, SettingsError } from '../../base/settings/settings.ts';
import { OperatorError } from '../../people/operators/operator-error.ts';
import type { CommandParts, OpeningOptions } from '../opening/open-parts.ts';
import { EXIT_INTERRUPTED, InterruptedError, Interruption } from './interruption.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { createOutput, type Output, printable, type TextSink } from './output.ts';

export { table } from './output.ts';

/** These are the exit codes; those from 64 on are from `sysexits.h`. */
export const EXIT = { ok: 0, failed: 1, usage: 64, denied: 77, settings: 78, interrupted: EXIT_INTERRUPTED } as const;

/** This error is thrown if the command line is wrong: an argument contradicts another, or a file does not exist. */
export class UsageError extends Error {
	override readonly name = 'UsageError';
}

/** This error is thrown to end a command early after its result was shown. */
export class CommandOver extends Error {
	override readonly name = 'CommandOver';
}

/** These objects are given to the action of a command. */
export interface CommandContext {
	readonly settings: Settings;
	readonly configPath: string | undefined;
	/** The log, which writes to standard error. Except in the daemon, ordinary events are not logged. */
	readonly logger: Logger;
	readonly output: Output;
	/** The command line, and the person who typed it. */
	readonly invocation: Invocation;
	/** Registers `resource.close()` and returns the resource. When the action ends, they are closed in reverse order. */
	opened<T extends Closable>(name: string, resource: T): T;
	/** Opens what most commands need, once it is known that whoever runs this one may (`openCommandParts`). */
	parts(options?: OpeningOptions): Promise<CommandParts>;
	readonly interruption: Interruption;
	/** The exit code of an action that ends without an error; 0 unless the action sets it. */
	exitCode: number;
}

export type CommandAction<Options> = (
	context: CommandContext,
	options: Options,
	...positional: (string | undefined)[]
) => Promise<void>;

export type Frame = ReturnType<typeof createFrame>;

export interface FrameOptions {
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly stdout: TextSink;
	readonly stderr: TextSink;
	/** The process whose signals interrupt a command. Without it nothing does. */
	readonly host?: ProcessPort;
	readonly onExit: (code: number) => void;
}

/** The options that every command accepts. They may come before or after the name of the command. */
export interface GlobalOptions {
	readonly json?: boolean;
	readonly config?: string;
	readonly as?: string;
	readonly identityFile?: string;
	readonly tokenFile?: string;
	readonly request?: boolean;
}

export function createFrame({ env, stdout, stderr, host, onExit }: FrameOptions) {
	const framed =
		<Options>(run: CommandAction<Options>, quiet: boolean) =>
		async (...given: unknown[]): Promise<void> => {
			const { options, globals, positional } = splitGiven<Options>(given);
			const output = createOutput(globals.json ?? false, stdout, stderr);
			const interruption = new Interruption(quiet ? host : undefined, (error) =>
				stderr.write(failureText(output.isJson, error)),
			);
			const code = await reportFailure(output.isJson, stderr, async () => {
				requireOneInput(given.at(-1) as Command);
				const settings = loadSettings({ configPath: globals.config, env });
				const level = quiet && settings.logLevel === 'info' ? 'warn' : settings.logLevel;
				const destination = stderr === process.stderr ? logLines : (stderr as { write(text: string): void });
				const logger = openLogger({ level, destination, isGathered: !quiet });
				const releases = new Releases();
				const opened: CommandContext['opened'] = (name, resource) => releases.opened(name, resource);
				const configPath = globals.config;
				const invocation = invocationOf(given, { settings, agentSocket: findAgentSocket(env) });
				const opening = { settings, configPath, logger, output, invocation, opened, interruption };
				const parts: CommandContext['parts'] = async (how) => {
					const { openCommandParts } = await import('../opening/open-parts.ts');
					return openCommandParts(opening, how);
				};
				const context: CommandContext = { ...opening, parts, exitCode: EXIT.ok };
				try {
					await runAndRelease(() => unlessOver(() => run(context, options, ...positional)), releases);
				} catch (error) {
					// The error may only follow from the interruption.
					interruption.check();
					throw error;
				}
				if (context.exitCode !== EXIT.ok) interruption.check();
				return context.exitCode;
			});
			interruption.close();
			onExit(code);
			// Whatever the command has waited for, such as a pipe, would keep the process running.
			if (code === EXIT.interrupted) host?.exit(code);
		};
	return {
		action: <Options = Record<string, never>>(run: CommandAction<Options>) => framed(run, true),
		/**
		 * Turns the daemon's action into a function for commander's `.action()`. The daemon logs at `logLevel`; other commands
		 * log only warnings and worse.
		 */
		daemonAction: <Options = Record<string, never>>(run: CommandAction<Options>) => framed(run, false),
	};
}

function splitGiven<Options>(given: unknown[]) {
	const command = given.at(-1) as { optsWithGlobals(): GlobalOptions };
	return {
		options: given.at(-2) as Options,
		globals: command.optsWithGlobals(),
		positional: given.slice(0, -2) as (string | undefined)[],
	};
}

/** Options and arguments whose value has one of these names are files that are read. */
const READ_NAMES = ['file', 'in'];

/** @throws UsageError if a command would read several files from standard input, of which only one would get anything */
function requireOneInput(command: Command): void {
	const named = command.registeredArguments.flatMap((argument, i) =>
		READ_NAMES.includes(argument.name()) && command.processedArgs[i] === STANDARD_INPUT ? [`<${argument.name()}>`] : [],
	);
	for (let at: Command | null = command; at !== null; at = at.parent) {
		const values = at.opts();
		for (const option of at.options) {
			const name = /[<[](\w+)/.exec(option.flags)?.[1] ?? '';
			const isInput = READ_NAMES.includes(name) && values[option.attributeName()] === STANDARD_INPUT;
			if (isInput) named.push(`${option.long} -`);
		}
	}
	if (named.length > 1) throw new UsageError(`${named.toReversed().join(' and ')} cannot both be standard input`);
}

async function unlessOver(run: () => Promise<void>): Promise<void> {
	try {
		await run();
	} catch (error) {
		if (!(error instanceof CommandOver)) throw error;
	}
}

/** Runs an action and releases its resources. If both fail, the error of the action is the one that is thrown. */
async function runAndRelease(run: () => Promise<void>, releases: Releases): Promise<void> {
	try {
		await run();
	} catch (error) {
		await releases.release().catch(() => {});
		throw error;
	}
	await releases.release();
}

/** Runs a command and returns its exit code. A failure is written to standard error, as JSON under `--json`. */
export async function reportFailure(isJson: boolean, stderr: TextSink, run: () => Promise<number>): Promise<number> {
	try {
		return await run();
	} catch (error) {
		stderr.write(failureText(isJson, error));
		return kindOf(error).code;
	}
}

function failureText(isJson: boolean, error: unknown): string {
	const { reason } = kindOf(error);
	const message = redactText(messageOf(error));
	const problems = error instanceof SettingsError ? { problems: error.problems } : {};
	return isJson ? `${JSON.stringify({ error: { reason, message, ...problems } })}\n` : `${printable(message)}\n`;
}

function kindOf(error: unknown): { reason: string; code: number } {
	if (error instanceof SettingsError) return { reason: 'settings', code: EXIT.settings };
	if (error instanceof InterruptedError) return { reason: 'interrupted', code: EXIT.interrupted };
	if (error instanceof UsageError) return { reason: 'usage', code: EXIT.usage };
	if (error instanceof OperatorError) return { reason: error.reason, code: EXIT.denied };
	return { reason: error instanceof ServiceError ? error.reason : 'failed', code: EXIT.failed };
}

function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { code, at } = error as { code?: unknown; at?: FilePosition };
	// A refused connection to a name with several addresses is an AggregateError, which has a code and no message.
	const message = error.message || String(code ?? error.name);
	if (at === undefined) return message;
	const places = Object.entries(at).filter(([, value]) => value !== undefined);
	return `${message} (${places.map(([name, value]) => `${name} ${value}`).join(', ')})`;
}

/** Parses an option that takes a count, for use as the third argument of commander's `option`. */
export function wholeNumber(text: string): number {
	const value = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Expected a whole number.');
	return value;
}

/** The text that stands for standard input where a command reads a file, and for standard output where it writes one. */
export const STANDARD_INPUT = '-';
export const STANDARD_OUTPUT = '-';

/** Returns the text of a file that an option names. @throws UsageError when it cannot be read */
export async function readOptionFile(option: string, path: string): Promise<string> {
	return (await readOptionBytes(option, path)).toString();
}

/** Returns the bytes of a file that an option names, or of standard input. @throws UsageError when it cannot be read */
export async function readOptionBytes(option: string, path: string): Promise<Buffer> {
	try {
		return path === STANDARD_INPUT ? await buffer(process.stdin) : await readFile(path);
	} catch (cause) {
		throw new UsageError(`${option} ${path}: ${(cause as NodeJS.ErrnoException).code ?? 'cannot be read'}`, { cause });
	}
}

/**
 * Returns the JSON in a file that an option names. Errors never quote the file.
 * @throws UsageError if the file cannot be read or is not JSON
 */
export async function readOptionJson(option: string, path: string): Promise<unknown> {
	const text = await readOptionFile(option, path);
	try {
		return JSON.parse(text);
	} catch {
		throw new UsageError(`${option} ${path}: not JSON`);
	}
}

/** What the help and the manual page say of the end of a command. */
export const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 64 wrong command line, 70 internal error, 77 not by this operator, 78 wrong settings,
130 interrupted by SIGINT or SIGTERM.
Under --json the result is one JSON document on standard output, and a failure is
{"error":{"reason","message"}} on standard error.`;
