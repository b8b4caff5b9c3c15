// Opens an installation with an account, partners with folders, and shorthand for its routes.

import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { makeFolder } from './file-parts.ts';
import { type CommandOutcome, type CommandRunner, openCommandRunner } from './run-command.ts';
import { type SshdPartner, startPartner } from './sftp-partner.ts';

export const WHOSE = ['--user-id', 'agency'];
export const CSV = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n4111111111111111,12,2029,Visa\n';

/** Parts of documents: from the partner `visa` to the partner `bank`, tokenized. */
export const FROM = { destination: 'visa', path: 'out' };
export const TO = { destination: 'bank', path: 'in' };
export const TOKENIZE = { operation: 'tokenize', filter: 'SIMPLECSV' };

/** A part of the document of a route. */
type Part = Readonly<Record<string, unknown>>;

export interface RouteParts {
	readonly run: CommandRunner;
	/** A folder that routes may use. */
	readonly folder: string;
	/** The file with the document that was put last. */
	readonly documentFile: string;
	/** Runs `route VERB` for the account. */
	route(verb: string, ...more: string[]): Promise<CommandOutcome>;
	/** Stores a route `r`. Its files are ready at the first look unless `from` says otherwise. */
	put(from: Part, work: Part, to: Part, more?: Part): Promise<CommandOutcome>;
	/** Runs the route to its end, and returns its entry in the history. */
	// biome-ignore lint/suspicious/noExplicitAny: tests look at parts of it
	runNow(): Promise<any>;
	/** Stores a destination for a partner. */
	addDestination(name: string, partner: SshdPartner, more?: Part): Promise<void>;
}

/** Opens an installation with the account `agency`. No daemon runs, so commands carry out runs themselves. */
export async function openRouteParts(
	t: ExecutionContext<unknown>,
	variables: Record<string, string> = {},
): Promise<RouteParts> {
	const folder = makeFolder(t);
	const run = openCommandRunner(t, {
		...{ TOKENDROP_ROUTES_FOLDERS: folder, TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' },
		...variables,
	});
	const created = await run('account', 'create', ...WHOSE, '--permissions', 'all');
	t.is(created.code, 0, created.stderr);
	const route = (verb: string, ...more: string[]) => run('route', verb, ...WHOSE, ...more);
	const documents = makeFolder(t);
	const documentFile = join(documents, 'route.json');
	return {
		...{ run, folder, documentFile, route },
		async put(from, work, to, more = {}) {
			const ready = { unchanged: '0s', ...(from.ready as Part) };
			writeFileSync(documentFile, JSON.stringify({ name: 'r', from: { ...from, ready }, do: work, to, ...more }));
			const stored = await route('put', '--file', documentFile);
			t.is(stored.code, 0, stored.stderr);
			return stored;
		},
		async runNow() {
			const outcome = await route('run', '--name', 'r', '--wait');
			if (!outcome.json?.run) throw new Error(outcome.stderr);
			return { ...outcome.json, code: outcome.code };
		},
		async addDestination(name, partner, more = {}) {
			const file = join(documents, 'destination.json');
			const { port, userName, hostKeys } = partner;
			const document = { name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519], ...more };
			writeFileSync(file, JSON.stringify(document));
			const put = ['--file', file, '--private-key-file', partner.keyFile];
			const stored = await run('destination', 'put', ...WHOSE, ...put);
			t.is(stored.code, 0, stored.stderr);
		},
	};
}

/** Opens an installation with two partners, `visa` and `bank`, and the folders `out` and `in` at them. */
export async function openPartners(t: ExecutionContext<unknown>, variables?: Record<string, string>) {
	const parts = await openRouteParts(t, variables);
	const [visa, bank] = await Promise.all([startPartner(t), startPartner(t)]);
	await parts.addDestination('visa', visa);
	await parts.addDestination('bank', bank);
	const [out, into] = [join(visa.folder, 'out'), join(bank.folder, 'in')];
	for (const folder of [out, into]) mkdirSync(folder);
	return { ...parts, visa, bank, out, into };
}

/** Writes a file that was last changed an hour ago. */
export function writeOld(folder: string, name: string, content: string | Buffer = CSV): void {
	writeFileSync(join(folder, name), content);
	const at = Date.now() / 1_000 - 3_600;
	utimesSync(join(folder, name), at, at);
}

/** Returns the names in a folder, in order. */
export function namesIn(folder: string): string[] {
	return readdirSync(folder).sort();
}

export function textOf(folder: string, name: string): string {
	return readFileSync(join(folder, name), 'utf8');
}
