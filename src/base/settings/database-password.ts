// Reads the password of the database from a separate file, because container platforms provide secrets as files.

import { readFileSync } from 'node:fs';
import { withPassword } from './postgres-url.ts';
import { type SettingsProblem, shownValue } from './problems.ts';
import { hasUrlPassword } from './url-password.ts';

const KEY = 'databasePasswordFile';

/**
 * Returns the database's URL with the password from the file, or the problem with that file. A final line end does not
 * belong to the password.
 */
export function withDatabasePassword(url: string, path: string): string | SettingsProblem {
	const problem = (rule: string): SettingsProblem => {
		return { key: KEY, source: 'all layers together', value: shownValue(path, KEY), rule, example: null };
	};
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
