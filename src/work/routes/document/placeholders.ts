// Fills the placeholders in the names and folders of a route.

import { type Why, why } from '../../../base/failures.ts';
import { wallParts } from '../times/wall-clock.ts';

const NAMES = ['name', 'stem', 'ext', 'seq', 'run', 'filter'] as const;
type PlainName = (typeof NAMES)[number];

/** The values for the placeholders of one file. */
export interface FileFacts {
	/** The name of the file at its source. */
	readonly name: string;
	/** The number of the file within its route, from 1. */
	readonly seq: number;
	readonly run: string;
	readonly filter: string;
	/** The time at which the file was claimed, which `date` and `time` show. */
	readonly at: Date;
	readonly timeZone: string;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const TIME_LETTERS = { yyyy: 'year', MM: 'month', dd: 'day', HH: 'hour', mm: 'minute', ss: 'second' } as const;
const TIME_PATTERN = /yyyy|MM|dd|HH|mm|ss/g;

export function placeholderProblem(
	text: string,
	allowed: readonly (PlainName | 'date' | 'time')[] = [...NAMES, 'date', 'time'],
): Why | undefined {
	for (const [whole, inside] of text.matchAll(PLACEHOLDER)) {
		const [kind, pattern] = inside.split(/:(.*)/s);
		if (!(allowed as readonly string[]).includes(kind)) {
			const known = allowed.map((name) => (name === 'date' || name === 'time' ? `{${name}:…}` : `{${name}}`)).join(' ');
			return why(`${whole} is not known here; expected ${known}`, 'placeholder-unknown', { known });
		}
		const isTime = kind === 'date' || kind === 'time';
		if (!isTime && pattern !== undefined)
			return why(`{${kind}} takes no pattern: expected {${kind}} alone`, 'placeholder-malformed');
		if (isTime && !/^([-_.]|yyyy|MM|dd|HH|mm|ss)+$/.test(pattern ?? '')) {
			const rule = `{${kind}:…} needs a pattern of yyyy, MM, dd, HH, mm, ss and hyphens, underscores or dots`;
			return why(rule, 'placeholder-malformed');
		}
	}
	if (/[{}]/.test(text.replaceAll(PLACEHOLDER, '')))
		return why('a brace has no partner: expected placeholders such as {name}', 'placeholder-malformed');
	return undefined;
}

/** Fills the placeholders of a text that `placeholderProblem` has accepted. */
export function fillPlaceholders(text: string, facts: FileFacts): string {
	const { name, seq, run, filter, at, timeZone } = facts;
	const dot = name.lastIndexOf('.');
	const stem = dot > 0 ? name.slice(0, dot) : name;
	const ext = dot > 0 ? name.slice(dot + 1) : '';
	const values: Record<PlainName, string> = { name, stem, ext, seq: String(seq), run, filter };
	return text.replaceAll(PLACEHOLDER, (_, inside: string) => {
		const [kind, pattern] = inside.split(/:(.*)/s);
		if (kind !== 'date' && kind !== 'time') return values[kind as PlainName];
		const parts = wallParts(at, timeZone);
		return pattern.replaceAll(TIME_PATTERN, (letters) => parts[TIME_LETTERS[letters as keyof typeof TIME_LETTERS]]);
	});
}

/** Returns the name in which `{name}` of a done-file or temporary name stands for `name`. */
export function nameBeside(template: string, name: string, run = ''): string {
	return template.replaceAll('{name}', name).replaceAll('{run}', run);
}
