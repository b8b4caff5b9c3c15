// Writes the state, the size and the progress of a job for pages.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { statesOf } from '../../kinds/columns.ts';
import { badge } from '../../pieces.ts';
import type { Say } from '../../texts.ts';

export function jobPath({ id }: Pick<JobRow, 'id'>): string {
	return `/portal/jobs/${id}`;
}

const TONES = { queued: 'busy', running: 'busy', done: 'good', failed: 'bad' } as const;

export function jobBadge({ state, refused }: Pick<JobRow, 'state' | 'refused'>, say: Say): Html {
	if (state === 'done' && refused > 0) return badge('busy', say('files.states.doneRefused'));
	return badge(TONES[state], say(`files.states.${state}`));
}

export const { badge: dropBadge } = statesOf('files.dropStates.', {
	...({ receiving: 'busy', partial: 'busy', accepted: 'busy', failed: 'bad', ready: 'good' } as const),
});

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a size in a readable unit: `1.2 MB`. */
export function sizeText(bytes: number, language: string): string {
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit < UNITS.length - 1) {
		value /= 1000;
		unit++;
	}
	return new Intl.NumberFormat(language, {
		style: 'unit',
		unit: UNITS[unit],
		unitDisplay: unit === 0 ? 'long' : 'short',
		maximumFractionDigits: unit === 0 || value >= 100 ? 0 : 1,
	}).format(value);
}

export function percentOf({ bytes_read, bytes_total, state }: JobRow): number {
	if (state === 'done') return 100;
	return bytes_total === 0 ? 0 : Math.min(100, Math.floor((100 * bytes_read) / bytes_total));
}

export function jobProgress(job: JobRow, say: Say): Html {
	return html` <progress max="100" value="${percentOf(job)}" aria-label="${say('files.progress')}"></progress>`;
}
