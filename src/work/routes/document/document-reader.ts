// Reads the members of a route's document one by one, and collects every fault with its path and place.

import { nearestName } from '../../../base/settings/layers.ts';
import type { ProfileText } from '../../relay/profiles/profile-text.ts';
import { findDuration } from './duration.ts';

/** The keys and positions that lead to a value. */
export type Path = readonly (string | number)[];
export type Members = Readonly<Record<string, unknown>>;

export interface Fault {
	/** The path as people write it: `from.ready.unchanged`, `from.files[1]`. */
	readonly path: string;
	readonly line: number;
	readonly column: number;
	readonly rule: string;
}

const DURATION_RULE = 'expected a duration: a number with ms, s, m, h or d, such as 60s, at most 366d';

const MOST_FAULTS = 100;

export class DocumentReader {
	readonly faults: Fault[] = [];
	readonly #named = new Set<string>();
	readonly #written: Pick<ProfileText, 'problemAt' | 'problemAtKey'>;

	constructor(written: Pick<ProfileText, 'problemAt' | 'problemAtKey'>) {
		this.#written = written;
	}

	/** Notes what is wrong with the value at a path. Only the first fault of a path is kept, and as many as anybody reads. */
	fault(path: Path, rule: string, isAboutKey = false): void {
		const name = pathText(path);
		if (this.#named.has(name) || this.#named.size === MOST_FAULTS) return;
		this.#named.add(name);
		const { line, column } = isAboutKey ? this.#written.problemAtKey(path, rule) : this.#written.problemAt(path, rule);
		this.faults.push({ path: name, line, column, rule });
	}

	/** Returns the members of an object, of which only those that are known may be written. */
	members(path: Path, value: unknown, known: readonly string[]): Members {
		if (value === undefined) return {};
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			this.fault(path, `expected members: some of ${known.join(', ')}`);
			return {};
		}
		for (const name of Object.keys(value)) {
			if (known.includes(name)) continue;
			if (this.#named.size === MOST_FAULTS) break;
			const nearest = nearestName(name, known);
			const hint = nearest === null ? `one of ${known.join(', ')}` : `perhaps ${nearest}`;
			this.fault([...path, name], `no such member; ${hint}`, true);
		}
		return value as Members;
	}

	/** Returns a text; `problemOf` says what is wrong with it. */
	text(path: Path, value: unknown, absent: string, problemOf?: (text: string) => string | undefined): string {
		if (value === undefined) return absent;
		if (typeof value !== 'string') {
			this.fault(path, 'expected text');
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
		if (found === undefined) this.fault(path, `expected ${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}`);
		return found ?? absent;
	}

	flag(path: Path, value: unknown, absent: boolean): boolean {
		return this.choice(path, value, ['true', 'false'], absent ? 'true' : 'false') === 'true';
	}

	duration(path: Path, value: unknown, absentMs: number, leastMs = 0): number {
		const ms = findDuration(this.text(path, value, ''));
		if (value === undefined) return absentMs;
		if (ms === undefined) this.fault(path, DURATION_RULE);
		else if (ms < leastMs) this.fault(path, `expected at least ${leastMs / 1_000}s`);
		return ms ?? absentMs;
	}

	whole(path: Path, value: unknown, absent: number, [least, most]: readonly [number, number]): number {
		if (value === undefined) return absent;
		const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
		if (number >= least && number <= most) return number;
		this.fault(path, `expected a whole number from ${least} to ${most}`);
		return absent;
	}

	/** Returns a list of texts; a single text counts as a list of one. */
	texts(path: Path, value: unknown, problemOf?: (text: string) => string | undefined): string[] {
		if (value === undefined) return [];
		if (!Array.isArray(value)) return [this.text(path, value, '', problemOf)];
		if (value.length > 100) this.fault(path, 'expected at most 100 entries');
		return value.slice(0, 100).map((each, nth) => {
			if (each === undefined) this.fault([...path, nth], 'expected text');
			return this.text([...path, nth], each, '', problemOf);
		});
	}

	require(path: Path, value: unknown, what: string): void {
		if (value === undefined) this.fault(path, `is required: ${what}`);
	}
}

export function pathText(path: Path): string {
	return path.map((step, nth) => (typeof step === 'number' ? `[${step}]` : `${nth === 0 ? '' : '.'}${step}`)).join('');
}
