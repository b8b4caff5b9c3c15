// Opens an installation with operators who run commands on it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { Role } from '../../src/people/operators/roles.ts';
import { openTestDatabase } from './database.ts';
import { type CommandOutcome, openCommandRunner } from './run-command.ts';
import { makePlainPerson, type SshPerson } from './ssh-people.ts';

export type As = (name: string) => (...argv: string[]) => Promise<CommandOutcome>;

/** Opens an installation with a database of its own, and returns functions that add operators and run their commands. */
export async function openInstallation(t: ExecutionContext, dialect: Dialect = 'sqlite') {
	const database = await openTestDatabase(t, dialect);
	const variables = { TOKENDROP_DATABASE_URL: database.url };
	const run = openCommandRunner(t, variables);
	const proofs = new Map<string, readonly string[]>();
	const as: As =
		(name) =>
		(...argv) =>
			run(...argv, '--as', name, ...(proofs.get(name) ?? []));
	const folder = run.dataDir;

	/** Adds an operator who has a token. The operator `by` does so; without `by` the command names no operator who runs it. */
	const addByToken = async (name: string, role: Role, by?: string) => {
		const added = await (by === undefined ? run : as(by))('operator', 'add', name, '--role', role, '--token');
		if (added.code !== 0) throw new Error(added.stderr);
		const file = join(folder, `${name}.token`);
		writeFileSync(file, `${added.json.token}\n`, { mode: 0o600 });
		proofs.set(name, ['--token-file', file]);
		return added;
	};
	/** Adds an operator who has an SSH key in a file. */
	const addByKey = async (name: string, role: Role, by?: string): Promise<SshPerson> => {
		const person = makePlainPerson(t);
		const words = ['operator', 'add', name, '--role', role, '--ssh-key-file', `${person.file}.pub`];
		const added = await (by === undefined ? run : as(by))(...words);
		if (added.code !== 0) throw new Error(added.stderr);
		proofs.set(name, ['--identity-file', person.file]);
		return person;
	};
	/** Runs a command that needs two people: `by` asks for it, `approver` approves it, and `by` runs it. */
	const withApproval = async (by: string, approver: string, ...argv: string[]) => {
		const asked = await as(by)(...argv, '--request');
		const given = await as(approver)('approve', asked.json.id);
		if (given.code !== 0) throw new Error(given.stderr);
		return as(by)(...argv);
	};
	const entries = async (action: string) =>
		(await database.knex('audit').where({ action }).orderBy('seq')).map((row) => ({
			...row,
			details: JSON.parse(row.details),
		}));
	return { run, as, folder, database, addByToken, addByKey, withApproval, entries, variables };
}
