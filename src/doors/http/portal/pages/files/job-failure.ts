// Says why a job failed, and whether another attempt may help.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { findFailure, type JobRow } from '../../../../../work/jobs/job.ts';
import { failureWords } from '../../failure-words.ts';
import { notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

/** Tells whether it may help to process the same file again: at once, or after the next step that the page names. */
export function mayHelpAgain(job: JobRow): boolean {
	return findFailure(job)?.retry !== 'no';
}

/** Returns the notice about a job that failed or waits for another attempt; none for any other job. */
export function failurePart(call: PortalCall, job: JobRow): Html {
	const { say } = call;
	const failure = findFailure(job);
	if (!failure) return html``;
	const { state, error_message: message, error_line: line, error_record: record, last_message: last } = job;
	const says = failureWords(call, failure)?.says ?? '';
	// The exact words stay beside those for people, because somebody may have to tell them to the sender or the operator.
	const exact = (text: string | null) => text !== null && html` <small lang="en">${text}</small>`;
	if (state !== 'failed')
		return state === 'queued' ? notice('plain', html`${say('files.triedBefore')} ${says}${exact(last)}`) : html``;
	const places = [
		record !== null && `${say('files.record')} ${record}`,
		line !== null && `${say('words.line')} ${line}`,
	];
	const place = places.filter(Boolean).join(', ');
	const next = say(`failure.next.${failure.next}`);
	return notice('bad', html`${says} ${place && `(${place})`} ${next}${exact(message ?? job.error_reason)}`);
}
