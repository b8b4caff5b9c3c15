// Decides which uploads are left alone: they stay in their folder as they were sent, until they get a name that is
// processed.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { DEFAULT_LEFT_ALONE } from '../../engine/options.ts';
import { isPartialName } from '../drops/drop-names.ts';
import type { DropFolder } from '../drops/drop-store.ts';
import { namePattern } from '../drops/name-pattern.ts';
import { mergedOptions } from './format-options.ts';

/** Options that were read this recently are used again, because a session often sends many files to one folder. */
const USED_FOR_MS = 5_000;

export type LeftAlone = ReturnType<typeof openLeftAlone>;

/** Opens the list of names that one session leaves alone. */
export function openLeftAlone(parts: { database: Database; keyRing: Pick<KeyRing, 'seals'> }, clock: Clock) {
	const read = new Map<string, { readonly untilMs: number; readonly patterns: Promise<readonly string[]> }>();
	const patternsOf = ({ accountId, filter }: DropFolder) => {
		const nowMs = clock.now().getTime();
		const known = read.get(filter);
		if (known && known.untilMs > nowMs) return known.patterns;
		const patterns = mergedOptions(parts, { accountId, filter }).then(
			({ leaveAlone }) => (leaveAlone as readonly string[] | undefined) ?? DEFAULT_LEFT_ALONE,
			(error) => {
				// Options that were altered are told by the job of a file, so the file is accepted.
				if (error instanceof ServiceError) return DEFAULT_LEFT_ALONE;
				throw error;
			},
		);
		read.set(filter, { untilMs: nowMs + USED_FOR_MS, patterns });
		patterns.catch(() => read.delete(filter));
		return patterns;
	};
	return {
		/** Tells whether a file of this name is left alone: for a partial name in every folder, else as its options say. */
		async has(folder: DropFolder, name: string): Promise<boolean> {
			if (isPartialName(name)) return true;
			return (await patternsOf(folder)).some((pattern) => fits(pattern, name));
		},
	};
}

/** Tells whether a name fits a pattern, in which `*` stands for any characters. Case does not matter. */
export function fits(pattern: string, name: string): boolean {
	return namePattern(pattern.toLowerCase())(name.toLowerCase());
}
