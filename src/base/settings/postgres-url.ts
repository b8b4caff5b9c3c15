// Reads the URL of a PostgreSQL database, which may name several hosts as libpq's does: `postgres://u@a:5432,b:5432/db`.
// The driver knows one host only, so this makes a URL for each.

import { readFileSync } from 'node:fs';
import { contradiction, type SettingsProblem } from './problems.ts';
import { hasUrlPassword } from './secret.ts';

/** One of the servers that a URL names. */
export interface PostgresHost {
	/** The host and port as people may be shown them: `db1.internal:5432`. */
	readonly name: string;
	/** The URL of the database on this host alone. It may contain a password. */
	readonly url: string;
}

export interface PostgresHosts {
	/** The hosts in the order in which they are tried. */
	readonly hosts: readonly PostgresHost[];
	/** Whether a host is used only if it takes writes. Without it, the only host is used whatever it is. */
	readonly mustWrite: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s;
const DEFAULT_PORT = '5432';
/** A daemon always writes, so these are the values of libpq's parameter that make sense. */
const WRITABLE = new Set(['read-write', 'primary']);

/** Returns the hosts of a URL of PostgreSQL, of which `isPostgresUrl` holds. */
export function readPostgresUrl(url: string): PostgresHosts {
	const { scheme, user, hosts, rest } = partsOf(url);
	const each = hosts.map((host) => {
		const own = `${scheme}${user}${host}${rest}`;
		return { name: nameOf(new URL(own)), url: own };
	});
	return { hosts: each, mustWrite: hosts.length > 1 || attributesOf(each[0].url).length > 0 };
}

/** Tells whether a text is a URL of PostgreSQL that a daemon can use. */
export function isPostgresUrl(text: string): boolean {
	if (!PARTS.test(text)) return false;
	const { scheme, user, hosts, rest } = partsOf(text);
	return hosts.every((host) => {
		const own = `${scheme}${user}${host}${rest}`;
		if (!URL.canParse(own) || (hosts.length > 1 && host === '')) return false;
		// libpq also takes lists in these two parameters. One place for hosts is enough.
		const { searchParams } = new URL(own);
		const isPlain = ['host', 'port'].every((name) => !searchParams.getAll(name).some((value) => value.includes(',')));
		return isPlain && attributesOf(own).every((value) => WRITABLE.has(value));
	});
}

/** Returns a URL of PostgreSQL with a password, which holds for all of its hosts. */
export function withPassword(url: string, password: string): string {
	const { scheme, user, hosts, rest } = partsOf(url);
	const whole = new URL(`${scheme}${user}${hosts[0]}${rest}`);
	whole.password = encodeURIComponent(password);
	// The driver would not read a password where the URL names no host.
	if (whole.password === '') return url;
	return `${scheme}${whole.username}:${whole.password}@${hosts.join(',')}${rest}`;
}

function partsOf(url: string) {
	const [, scheme, authority, rest] = PARTS.exec(url)!;
	const at = authority.lastIndexOf('@') + 1;
	return { scheme, user: authority.slice(0, at), hosts: authority.slice(at).split(','), rest };
}

function attributesOf(url: string): string[] {
	return new URL(url).searchParams.getAll('target_session_attrs');
}

function nameOf({ hostname, port, searchParams }: URL): string {
	// The driver uses the last value of a parameter that the URL repeats, and prefers it to what stands before the path.
	const host = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname) || 'localhost';
	return `${host}:${searchParams.getAll('port').at(-1) || port || DEFAULT_PORT}`;
}

/**
 * Returns the database's URL with the password from a file, or the problem with that file. Container platforms provide secrets
 * as files. A final line end does not belong to the password.
 */
export function withDatabasePassword(url: string, path: string): string | SettingsProblem {
	const problem = (rule: string) => contradiction('databasePasswordFile', path, rule);
	// The embedded database has no password, so the URL stays as it is.
	if (!/^postgres(ql)?:/.test(url)) return url;
	if (hasUrlPassword(url)) return problem('empty where databaseUrl has a password');
	let password: string;
	try {
		password = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
	} catch {
		return problem('a file that can be read');
	}
	if (password === '') return problem('a file with a password in it');
	return withPassword(url, password);
}
