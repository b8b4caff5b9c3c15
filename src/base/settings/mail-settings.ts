// Checks and completes the settings of the mail server.

import { resolve } from 'node:path';
import { type SettingsProblem, shownValue } from './problems.ts';

interface MailSettings {
	readonly host: string | null;
	readonly from: string | null;
	readonly user: string | null;
	readonly passwordFile: string | null;
	readonly caFile: string | null;
}

/** Returns the settings of the mail server with absolute paths. */
export function withMailPaths<T extends MailSettings>(mail: T): T {
	return {
		...mail,
		caFile: mail.caFile && resolve(mail.caFile),
		passwordFile: mail.passwordFile && resolve(mail.passwordFile),
	};
}

/** Returns the contradictions between the settings of the mail server. */
export function mailProblems({ host, from, user, passwordFile }: MailSettings): SettingsProblem[] {
	const problem = (key: string, value: string | null, rule: string, example: string | null): SettingsProblem => {
		return { key, source: 'all layers together', value: shownValue(value, key), rule, example };
	};
	const problems: SettingsProblem[] = [];
	if (host !== null && from === null) {
		problems.push(problem('mail.from', from, 'a mail address where mail.host is set', 'cards@example.com'));
	}
	if ((user === null) !== (passwordFile === null)) {
		problems.push(problem('mail.user', user, 'both mail.user and mail.passwordFile, or neither', null));
	}
	return problems;
}
