// Defines the schemas of jobs and their reports as callers get them (shapes §11, docs/reports.md).

import { Type } from '@sinclair/typebox';
import type { ReportEntry } from '../../../engine/report.ts';
import type { JobState } from '../../../work/jobs/job.ts';
import { membersOf } from '../calls/content.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, FILE_BYTES, ID } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

export const STATES = ['queued', 'running', 'done', 'failed'] as const satisfies JobState[];

const OUTCOMES = [
	'tokenized',
	'detokenized',
	'refused',
	'unresolved',
	'otherNumber',
	'otherCode',
] as const satisfies readonly ReportEntry['outcome'][];
const count = Type.Integer({ minimum: 0 });
const JOB_ERROR = named(
	'JobError',
	Type.Object({
		reason: Type.String(),
		message: Type.String(),
		at: Type.Optional(
			Type.Object(
				{ offset: count, line: Type.Optional(count), record: Type.Optional(count) },
				{ description: 'In the file.' },
			),
		),
	}),
);
/** A job as its report describes it, with fewer members than callers get when they read the job. */
const REPORTED_JOB = membersOf({
	id: [Type.String(), ID],
	state: [Type.String({ enum: STATES }), 'queued'],
	filter: [Type.String(), 'SIMPLECSV'],
	operation: [Type.String({ enum: ['tokenize', 'detokenize'] }), 'tokenize'],
	name: [Type.String(), 'may.csv'],
	bytesRead: [count, 0],
	bytesTotal: [count, FILE_BYTES.clear],
	cards: [count, 0],
	refused: [count, 0],
	warned: [count, 0],
	otherNumbers: [
		Type.Integer({ minimum: 0, description: 'Numbers that look like cards outside the places for them.' }),
		0,
	],
	createdAt: [Type.String(), CREATED],
	finishedAt: [nullable(), null],
	error: [Type.Union([JOB_ERROR, Type.Null()]), null],
});
/** The schema of a job as callers read it (shapes §11). */
export const JOB = named(
	'Job',
	Type.Object({
		...REPORTED_JOB.schema.properties,
		account: Type.String({ description: 'User ID of the account.' }),
		otherCodes: Type.Integer({ minimum: 0, description: 'Security codes outside the places for them.' }),
		attempts: Type.Integer({ minimum: 0, description: 'How often it was begun.' }),
		nextAttemptAt: nullable(),
		lastFailure: Type.Union(
			[Type.Object({ reason: Type.String(), message: Type.String(), at: Type.String() }), Type.Null()],
			{ description: 'Why an attempt that was not the last one failed.' },
		),
	}),
);
const PLACE = { record: Type.Optional(count), line: count, offset: count, field: Type.Optional(Type.String()) };
const COUNTED = (description: string) =>
	Type.Array(Type.Object({ text: Type.String(), cards: count, places: Type.Array(Type.Object(PLACE)) }), {
		description,
	});
const REPORT_ENTRY = named(
	'JobReportEntry',
	Type.Object({
		...PLACE,
		outcome: Type.String({ enum: OUTCOMES }),
		reason: Type.Optional(Type.String()),
		warnings: Type.Optional(Type.Array(Type.String())),
		cardType: Type.Optional(Type.String()),
		lastFour: Type.Optional(Type.String()),
		number: Type.Optional(Type.String({ description: 'First six and last four digits.' })),
	}),
);
/** The schema of a job's report, which says what the engine found in the file: docs/reports.md. */
export const REPORT = named(
	'JobReport',
	Type.Object({
		notices: Type.Array(Type.String(), { description: 'What is worth saying of the file as a whole.' }),
		...REPORTED_JOB.schema.properties,
		counts: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
			description: 'Null for a failed job.',
		}),
		warnings: COUNTED('Warnings of cards that were tokenized, each with its first places.'),
		refusals: COUNTED('Why cards were refused or tokens not resolved, each with its first places.'),
		others: COUNTED('Numbers that look like cards outside the places for them, with their first places.'),
		entriesOmitted: Type.Integer({ minimum: 0, description: 'Entries left out; the option report.cards brings all.' }),
		entries: Type.Array(REPORT_ENTRY),
	}),
);

const OWNED = { account: 'agency', otherCodes: 0 };
export const QUEUED_EXAMPLE = {
	...REPORTED_JOB.example,
	...OWNED,
	attempts: 0,
	nextAttemptAt: CREATED,
	lastFailure: null,
};
const REPORTED_DONE = {
	...REPORTED_JOB.example,
	...{ state: 'done', bytesRead: FILE_BYTES.clear, cards: 1, finishedAt: CREATED },
};
export const DONE_EXAMPLE = { ...REPORTED_DONE, ...OWNED, attempts: 1, nextAttemptAt: null, lastFailure: null };
export const RETRIED_EXAMPLE = {
	...QUEUED_EXAMPLE,
	bytesTotal: 49,
	lastFailure: { reason: 'file-malformed', message: 'a quote is never closed', at: CREATED },
};
const NOTICES = ['The file has no column for the card type'];
export const REPORT_EXAMPLE = {
	notices: NOTICES,
	...REPORTED_DONE,
	counts: {
		bytesRead: FILE_BYTES.clear,
		bytesWritten: FILE_BYTES.token,
		records: 2,
		cards: 1,
		refused: 0,
		warned: 0,
		masked: 0,
		preexistingTokens: 0,
		otherNumbers: 0,
		otherCodes: 0,
		unresolved: 0,
		notices: NOTICES,
	},
	warnings: [],
	refusals: [],
	others: [],
	entriesOmitted: 0,
	entries: [],
};
export const REPORT_EXAMPLE_CSV =
	'record,line,offset,outcome,reason,warnings,cardType,lastFour,number,field,cards\n' +
	`,,,notice,${NOTICES[0]},,,,,,\n`;
