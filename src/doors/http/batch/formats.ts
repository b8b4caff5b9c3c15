// Determines the format of the body of a batch and that of its answer.

import type { FastifyRequest } from 'fastify';
import { badInput } from '../../../base/errors.ts';
import { bodyFormat } from '../negotiation/negotiation.ts';

export interface BatchFormats {
	readonly body: 'json' | 'csv';
	readonly answer: 'ndjson' | 'csv';
}

export const ANSWER_TYPES: Readonly<Record<BatchFormats['answer'], string>> = {
	ndjson: 'application/x-ndjson; charset=utf-8',
	csv: 'text/csv; charset=utf-8',
};

/** Maps content types of `Accept` to formats of the answer. They are compared exactly, as elsewhere (spec §7.2.2). */
const ANSWERS: Readonly<Record<string, BatchFormats['answer']>> = {
	'text/csv': 'csv',
	'application/x-ndjson': 'ndjson',
	'application/json': 'ndjson',
};

/**
 * Returns the format of the body, according to `Content-Type`, and that of the answer, which is the first known one in
 * `Accept`.
 * @throws ServiceError `bad-input-data`
 */
export function getBatchFormats({ headers }: Pick<FastifyRequest, 'headers'>): BatchFormats {
	return { body: getBodyFormat(headers['content-type'] ?? ''), answer: answerFormat(headers.accept ?? '') };
}

function getBodyFormat(type: string): BatchFormats['body'] {
	if (bodyFormat(type) === 'json' || /^(application|text)\/(x-)?(ndjson|jsonl|jsonlines)\s*(;|$)/i.test(type)) {
		return 'json';
	}
	if (/^text\/csv\s*(;|$)/i.test(type)) return 'csv';
	throw badInput('Content-Type', 'expected application/x-ndjson, application/json or text/csv');
}

function answerFormat(accept: string): BatchFormats['answer'] {
	const named = accept.split(',').find((value) => Object.hasOwn(ANSWERS, value));
	return named === undefined ? 'ndjson' : ANSWERS[named];
}
