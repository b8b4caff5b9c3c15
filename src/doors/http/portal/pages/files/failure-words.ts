// Words in the language of the reader why a job failed, and what to do next.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { findFailure, type JobRow } from '../../../../../work/jobs/job.ts';
import { count, notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { isTextKey } from '../../texts.ts';

/** Tells whether it may help to process the same file again: at once, or after the next step that the page names. */
export function mayHelpAgain(job: JobRow): boolean {
	return findFailure(job)?.retry !== 'no';
}

/** Returns the notice about a job that failed or waits for another attempt; none for any other job. */
export function failurePart({ say, language }: PortalCall, job: JobRow): Html {
	const failure = findFailure(job);
	if (!failure) return html``;
	const { state, error_message: message, error_line: line, error_record: record, last_message: last } = job;
	const values = Object.fromEntries(
		Object.entries(failure.parameters).map(([name, value]) => [
			name,
			typeof value === 'number' ? count(value, language) : value,
		]),
	);
	const key = `failure.codes.${failure.code}`;
	const says = isTextKey(key) ? say(key, values) : '';
	// The exact words stay beside those for people, because somebody may have to tell them to the sender or the operator.
	const exact = (text: string | null) => text !== null && html` <small lang="en">${text}</small>`;
	if (state !== 'failed')
		return state === 'queued' ? notice('plain', html`${say('files.triedBefore')} ${says}${exact(last)}`) : html``;
	const places = [
		record !== null && `${say('files.record')} ${record}`,
		line !== null && `${say('files.line')} ${line}`,
	];
	const place = places.filter(Boolean).join(', ');
	const next = say(`failure.next.${failure.next}`);
	return notice('bad', html`${says} ${place && `(${place})`} ${next}${exact(message ?? job.error_reason)}`);
}
