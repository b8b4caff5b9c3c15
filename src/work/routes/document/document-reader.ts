// Reads the members of a route's document one by one, and collects every fault with its path and place.

import { type Why, why } from '../../../base/failures.ts';
import { type PlacedFault, unknownName } from '../../relay/profiles/profile-problems.ts';
import type { ProfileText } from '../../relay/profiles/profile-text.ts';
import { findDuration } from './duration.ts';

/** The keys and positions that lead to a value. */
export type Path = readonly (string | number)[];
export type Members = Readonly<Record<string, unknown>>;

const DURATION_RULE = why(
	'expected a duration: a number with ms, s, m, h or d, such as 60s, at most 366d',
	'duration-malformed',
);
const TEXT_RULE = why('expected text', 'type-expected', { type: 'text' });

const MOST_FAULTS = 100;

export class DocumentReader {
	readonly faults: PlacedFault[] = [];
	readonly #named = new Set<string>();
	readonly #written: Pick<ProfileText, 'problemAt' | 'problemAtKey'>;

	constructor(written: Pick<ProfileText, 'problemAt' | 'problemAtKey'>) {
		this.#written = written;
	}

	/** Notes what is wrong with the value at a path. Only the first fault of a path is kept, and as many as anybody reads. */
	fault(path: Path, rule: Why, isAboutKey = false): void {
		const name = pathText(path);
		if (this.#named.has(name) || this.#named.size === MOST_FAULTS) return;
		this.#named.add(name);
		const { line, column } = isAboutKey ? this.#written.problemAtKey(path, rule) : this.#written.problemAt(path, rule);
		this.faults.push({ path: name, line, column, rule: rule.reason, told: rule.told });
	}

	/** Returns the members of an object, of which only those that are known may be written. */
	members(path: Path, value: unknown, known: readonly string[]): Members {
		if (value === undefined) return {};
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			const all = known.join(', ');
			this.fault(path, why(`expected members: some of ${all}`, 'members-expected', { known: all }));
			return {};
		}
		for (const name of Object.keys(value)) {
			if (known.includes(name)) continue;
			if (this.#named.size === MOST_FAULTS) break;
			this.fault([...path, name], unknownName('member', name, known), true);
		}
		return value as Members;
	}

	/** Returns a text; `problemOf` says what is wrong with it. */
	text(path: Path, value: unknown, absent: string, problemOf?: (text: string) => Why | undefined): string {
		if (value === undefined) return absent;
		if (typeof value !== 'string') {
			this.fault(path, TEXT_RULE);
			return absent;
		}
		const problem = problemOf?.(value);
		if (problem === undefined) return value;
		this.fault(path, problem);
		return absent;
	}

	choice<const Word extends string>(path: Path, value: unknown, words: readonly Word[], absent: Word): Word {
		if (value === undefined) return absent;
		const found = words.find((word) => word === value);
		if (found === undefined) this.fault(path, expectedOneOf(words));
		return found ?? absent;
	}

	flag(path: Path, value: unknown, absent: boolean): boolean {
		return this.choice(path, value, ['true', 'false'], absent ? 'true' : 'false') === 'true';
	}

	duration(path: Path, value: unknown, absentMs: number, leastMs = 0): number {
		const ms = findDuration(this.text(path, value, ''));
		if (value === undefined) return absentMs;
		if (ms === undefined) this.fault(path, DURATION_RULE);
		else if (ms < leastMs) this.fault(path, atLeast(`${leastMs / 1_000}s`));
		return ms ?? absentMs;
	}

	whole(path: Path, value: unknown, absent: number, [least, most]: readonly [number, number]): number {
		if (value === undefined) return absent;
		const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
		if (number >= least && number <= most) return number;
		this.fault(
			path,
			why(`expected a whole number from ${least} to ${most}`, 'not-in-range', { from: least, to: most }),
		);
		return absent;
	}

	/** Returns a list of texts; a single text counts as a list of one. */
	texts(path: Path, value: unknown, problemOf?: (text: string) => Why | undefined): string[] {
		if (value === undefined) return [];
		if (!Array.isArray(value)) return [this.text(path, value, '', problemOf)];
		if (value.length > 100) this.fault(path, why('expected at most 100 entries', 'too-many', { most: 100 }));
		return value.slice(0, 100).map((each, nth) => {
			if (each === undefined) this.fault([...path, nth], TEXT_RULE);
			return this.text([...path, nth], each, '', problemOf);
		});
	}

	require(path: Path, value: unknown, what: string): void {
		if (value === undefined) this.fault(path, why(`is required: ${what}`, 'member-missing'));
	}
}

function expectedOneOf(words: readonly string[]): Why {
	const choices = words.join(', ');
	return why(`expected ${choices.replace(/, ([^,]*)$/, ' or $1')}`, 'not-one-of', { choices });
}

/** Says of members of which exactly one is needed that there is none, or more than one. */
export function onlyOneOf(given: readonly string[], needed: string): Why {
	if (given.length === 0) return why(`is required: ${needed}`, 'member-missing');
	const members = given.join(', ');
	return why(`only one of ${given.join(' and ')} can be meant: ${needed}`, 'only-one-of', { members });
}

export function atLeast(least: string): Why {
	return why(`expected at least ${least}`, 'too-little', { least });
}

export function pathText(path: Path): string {
	return path.map((step, nth) => (typeof step === 'number' ? `[${step}]` : `${nth === 0 ? '' : '.'}${step}`)).join('');
}
