// Words in the language of the reader why something failed, and what to do next.

import { type Failure, failureOf, type StoredWhy } from '../../../../../base/failures.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { findFailure, type JobRow } from '../../../../../work/jobs/job.ts';
import { count, notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { isTextKey } from '../../texts.ts';

/** Tells whether it may help to process the same file again: at once, or after the next step that the page names. */
export function mayHelpAgain(job: JobRow): boolean {
	return findFailure(job)?.retry !== 'no';
}

/** Returns the words for a failure, and for what to do next; undefined if only the exact words of its error say what it is. */
export function failureWords(
	{ say, language }: PortalCall,
	{ code, parameters, next }: Failure,
): { readonly says: string; readonly next: string } | undefined {
	const values = Object.fromEntries(
		Object.entries(parameters).map(([name, value]) => [
			name,
			typeof value === 'number' ? count(value, language) : value,
		]),
	);
	const key = `failure.codes.${code}`;
	return isTextKey(key) ? { says: say(key, values), next: say(`failure.next.${next}`) } : undefined;
}

/** Returns why something failed and what to do next, with the exact words beside it; only those if no code was stored with them. */
export function whyPart(call: PortalCall, failure: StoredWhy | null): Html | null {
	if (failure === null) return null;
	const { reason, told } = failure;
	const words = told && failureWords(call, failureOf(told));
	return html`${words && `${words.says} ${words.next} `}<small lang="en">${reason}</small>`;
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
		line !== null && `${say('files.line')} ${line}`,
	];
	const place = places.filter(Boolean).join(', ');
	const next = say(`failure.next.${failure.next}`);
	return notice('bad', html`${says} ${place && `(${place})`} ${next}${exact(message ?? job.error_reason)}`);
}
