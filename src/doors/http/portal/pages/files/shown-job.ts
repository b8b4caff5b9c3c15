// Writes the state, the size and the progress of a job for pages.

import type { Html } from '../../../../../base/pages/html.ts';
import type { DropState } from '../../../../../work/drops/drop-store.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { badge, type Tone } from '../../pieces.ts';
import type { FilesTexts } from '../../texts/en/files.ts';

const TONES = { queued: 'busy', running: 'busy', done: 'good', failed: 'bad' } as const satisfies Record<
	JobRow['state'],
	Tone
>;

export function jobBadge({ state, refused }: Pick<JobRow, 'state' | 'refused'>, texts: FilesTexts): Html {
	if (state === 'done' && refused > 0) return badge('busy', texts.states.doneRefused);
	return badge(TONES[state], texts.states[state]);
}

const DROP_TONES = { receiving: 'busy', partial: 'busy', accepted: 'busy', failed: 'bad', ready: 'good' } as const;

export function dropBadge(state: DropState, texts: FilesTexts): Html {
	return badge(DROP_TONES[state], texts.dropStates[state]);
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a size in a readable unit: `1.2 MB`. */
export function sizeText(bytes: number, language: string): string {
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit < UNITS.length - 1) {
		value /= 1000;
		unit++;
	}
	const digits = unit === 0 || value >= 100 ? 0 : 1;
	return new Intl.NumberFormat(language, {
		...{ style: 'unit', unit: UNITS[unit], unitDisplay: unit === 0 ? 'long' : 'short', maximumFractionDigits: digits },
	}).format(value);
}

/** Returns the percentage of a file that was read so far. */
export function percentOf({ bytes_read, bytes_total, state }: JobRow): number {
	if (state === 'done') return 100;
	return bytes_total === 0 ? 0 : Math.min(100, Math.floor((100 * bytes_read) / bytes_total));
}
