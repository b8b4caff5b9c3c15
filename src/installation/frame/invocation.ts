// Describes the typed command line in the form in which permissions are checked: the command, its arguments, and the
// operator.

import { userInfo } from 'node:os';
import type { Settings } from '../../base/settings/settings.ts';

export type Invocation = ReturnType<typeof invocationOf>;

interface TypedCommand {
	name(): string;
	readonly parent: TypedCommand | null;
	optsWithGlobals(): { as?: string; identityFile?: string; tokenFile?: string; request?: boolean };
}

export function invocationOf(
	given: readonly unknown[],
	{ settings, agentSocket }: { readonly settings: Settings; readonly agentSocket: string | undefined },
) {
	const command = given.at(-1) as TypedCommand;
	const { as, identityFile, tokenFile, request } = command.optsWithGlobals();
	// If the operator names an SSH key or a token on the command line, the settings of both are ignored, so that for
	// example a typed token does not compete with a configured key.
	const isProofTyped = identityFile !== undefined || tokenFile !== undefined;
	const set = isProofTyped ? { identityFile: null, tokenFile: null } : settings.operator;
	return {
		/** The name of the command, for example `api-key create`. */
		command: pathOf(command).join(' '),
		/** The command's own options, without those that every command accepts. */
		options: given.at(-2) as Readonly<Record<string, unknown>>,
		positional: given.slice(0, -2).flatMap((word) => (word === undefined ? [] : (word as string | string[]))),
		/** The folder against which relative paths are resolved. */
		folder: process.cwd(),
		/** The name of the operator who runs the command, as given with `--as`. */
		as: as ?? settings.operator.name ?? undefined,
		identityFile: identityFile ?? set.identityFile ?? undefined,
		tokenFile: tokenFile ?? set.tokenFile ?? undefined,
		agentSocket,
		/** True if only the approval of a second operator is requested, and the command is not carried out. */
		isRequest: request ?? false,
	};
}

function pathOf(command: TypedCommand): string[] {
	return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** Returns the name of this process's user, or the number of one without a name, as in some containers. */
export function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}
