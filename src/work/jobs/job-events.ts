// Says which events the end of a job is told by.

import type { NewEvent } from '../../base/outbox/record-events.ts';
import type { Summary } from '../../engine/report.ts';
import type { JobError, JobRow } from './job.ts';

/** Returns the events of a job whose file was processed, in the order in which they are told. */
export function doneEvents(job: JobRow, { cards, refused, otherNumbers }: Summary): NewEvent[] {
	const event = (type: NewEvent['type'], data: NewEvent['data']) => eventOf(job, type, data);
	return [
		event('job.done', { cards, refused, otherNumbers }),
		...(refused > 0 ? [event('job.refused_cards', { cards, refused })] : []),
		...(otherNumbers > 0 ? [event('file.other_numbers', { otherNumbers })] : []),
	];
}

export function failedEvent(job: JobRow, { reason, message }: JobError): NewEvent {
	return eventOf(job, 'job.failed', { reason, message });
}

function eventOf(job: JobRow, type: NewEvent['type'], data: NewEvent['data']): NewEvent {
	const { id, account_id: accountId, operation, filter, name } = job;
	return { type, accountId, about: `job ${id}`, data: { job: id, operation, filter, name, ...data } };
}
