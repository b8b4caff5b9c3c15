import { MASK, maskUrlPassword } from './secret.ts';

export interface SettingsProblem {
	/** The key, for example `sftp.port`. If the key is unknown, this is the variable or file. */
	readonly key: string;
	/** The source of the value, for example `TOKENDROP_SFTP_PORT` or `/etc/tokendrop.yaml`. */
	readonly source: string;
	/** The value in the form that may be shown, or null if there is none. */
	readonly value: string | null;
	readonly rule: string;
	readonly example: string | null;
}

/** Returns the problem of a value that each layer may have but that does not go with the others. */
export function contradiction(
	key: string,
	value: unknown,
	rule: string,
	example: string | null = null,
): SettingsProblem {
	return { key, source: 'all layers together', value: shownValue(value, key), rule, example };
}

/** This error is thrown if the settings cannot be used. The error carries every problem, not only the first. */
export class SettingsError extends Error {
	override readonly name = 'SettingsError';
	readonly problems: readonly SettingsProblem[];

	constructor(problems: readonly SettingsProblem[]) {
		super(['The settings are not usable:', ...problems.map(lineOf)].join('\n'));
		this.problems = problems;
	}
}

function lineOf({ key, source, value, rule, example }: SettingsProblem): string {
	const given = value === null ? '' : ` is ${value}`;
	const hint = example === null ? '' : `; for example: ${example}`;
	return `  ${key}${given} (${source}): expected ${rule}${hint}`;
}

const MAX_SHOWN_CHARACTERS = 80;
const SECRET_LOOKING = /password|passphrase|secret|(?<!^)token|(api|master|private)_?key$/i;

/**
 * Returns a value as a problem report may show it. If a key's name sounds secret, its value is hidden even if the key
 * is unknown.
 */
export function shownValue(value: unknown, keyName: string, isSecret = false): string | null {
	if (value === undefined) return null;
	if (isSecret || SECRET_LOOKING.test(keyName)) return MASK;
	// Values inside an unknown section may be secrets under any name, so they are hidden.
	if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a section';
	const text = JSON.stringify(typeof value === 'string' ? maskUrlPassword(value) : value);
	return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
