// Describes a command in the form that a second person approves: all its words, the folder in which it runs, and the
// content of the files it reads.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { maskCardNumbers } from '../../base/log/card-numbers.ts';
import type { AskedCommand } from '../../people/operators/approvals.ts';
import type { CommandRule, Role } from '../../people/operators/roles.ts';
import { STANDARD_INPUT, UsageError } from '../frame/command.ts';
import type { Invocation } from '../frame/invocation.ts';

export async function askedCommand(
	invocation: Invocation,
	role: Role,
	reads: CommandRule['reads'],
): Promise<AskedCommand> {
	const { command, options, positional, folder } = invocation;
	const given = Object.entries(options)
		.filter(([, value]) => value !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const paths = (reads?.(options, positional) ?? []).filter((path) => typeof path === 'string');
	const digests: string[] = [];
	if (paths.includes(STANDARD_INPUT))
		throw new UsageError('a second operator approves what is in a file: name one in place of -');
	for (const path of paths) digests.push(await digestOf(path));
	const canonical = JSON.stringify([command, given, positional, folder, digests]);
	const words = [command, ...given.flatMap(([name, value]) => optionWords(name, value)), ...positional.map(quoted)];
	// The hash is not hexadecimal, because one in a hundred would have enough digits to be masked in the trail as a card
	// number.
	const hash = createHash('sha256').update(canonical).digest('base64url');
	return { text: maskCardNumbers(`${words.join(' ')} (in ${folder})`), hash, role };
}

/** Returns the SHA-256 of a file, or `none` if it is not a regular file: a pipe, for example, cannot be read twice. */
async function digestOf(path: string): Promise<string> {
	const isFile = await stat(path).then(
		(found) => found.isFile(),
		() => false,
	);
	if (!isFile) return 'none';
	const hash = createHash('sha256');
	await pipeline(createReadStream(path), hash);
	return hash.digest('hex');
}

function optionWords(name: string, value: unknown): string[] {
	const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
	return value === true ? [option] : [option, quoted(String(value))];
}

function quoted(word: string): string {
	return /^[\w./:@,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
