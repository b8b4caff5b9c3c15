import type {} from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { isUlid } from '../../drops/ulid.ts';
import { ServiceError } from '../../errors.ts';
import { permissions } from '../../identity/permissions.ts';
import { actorOf } from '../../identity/principal.ts';
import { parseDay } from '../../jobs/day.ts';
import { noteFetch } from '../../jobs/fetch-store.ts';
import { type JobRow, type JobState, listedJob } from '../../jobs/job.ts';
import { jobStore } from '../../jobs/job-store.ts';
import { retryNote } from '../../jobs/retry-note.ts';
import type { ReportEntry } from '../../transfer/report.ts';
import { findOutput, findReport, sendDrop } from '../files/drops.ts';
import { findReferenceValue, findSearchText } from '../input/query-values.ts';
import { answer } from '../negotiation/answer.ts';
import { CONTENT_TYPES } from '../negotiation/negotiation.ts';
import type { HttpRooms } from '../rooms.ts';

const STATES = ['queued', 'running', 'done', 'failed'] as const satisfies JobState[];
const PATH = Type.Object({
	id: Type.String({ description: 'Last part of the `Location` that the file was answered with.' }),
});
const LIST_QUERY = Type.Object({
	state: Type.Optional(Type.String({ enum: STATES })),
	from: Type.Optional(
		Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Offset, from 0' }),
	),
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
	filter: Type.Optional(Type.String({ description: 'The folder: `GBT`.' })),
	name: Type.Optional(Type.String({ description: 'A part of the name, as it is spelled there.' })),
	day: Type.Optional(Type.String({ description: 'Accepted on this day (UTC): `2026-05-31`, `today` or `yesterday`.' })),
});

interface ListQuery {
	readonly state?: JobState;
	readonly from: number;
	readonly num: number;
	readonly filter?: string;
	readonly name?: string;
	readonly day?: string;
}

const OUTCOMES = [
	'tokenized',
	'detokenized',
	'refused',
	'unresolved',
	'otherNumber',
	'otherCode',
] as const satisfies readonly ReportEntry['outcome'][];
const nullable = Type.Union([Type.String(), Type.Null()]);
const count = Type.Integer({ minimum: 0 });
export const JOB_ERROR = Type.Object({
	reason: Type.String(),
	message: Type.String(),
	at: Type.Optional(
		Type.Object(
			{ offset: count, line: Type.Optional(count), record: Type.Optional(count) },
			{ description: 'In the file.' },
		),
	),
});
/** A job as its report has it. */
const REPORTED_JOB = Type.Object({
	...{ id: Type.String(), state: Type.String({ enum: STATES }), filter: Type.String() },
	...{ operation: Type.String({ enum: ['tokenize', 'detokenize'] }), name: Type.String() },
	...{ bytesRead: count, bytesTotal: count, cards: count, refused: count, warned: count },
	otherNumbers: Type.Integer({ minimum: 0, description: 'Numbers that look like cards outside the places for them.' }),
	...{ createdAt: Type.String(), finishedAt: nullable },
	error: Type.Union([JOB_ERROR, Type.Null()]),
});
/** A job as callers read it (shapes §11). */
export const JOB = Type.Object({
	...REPORTED_JOB.properties,
	account: Type.String({ description: 'User ID of the account.' }),
	otherCodes: Type.Integer({ minimum: 0, description: 'Security codes outside the places for them.' }),
	attempts: Type.Integer({ minimum: 0, description: 'How often it was begun.' }),
	nextAttemptAt: nullable,
	lastFailure: Type.Union(
		[Type.Object({ reason: Type.String(), message: Type.String(), at: Type.String() }), Type.Null()],
		{ description: 'Why an attempt that was not the last one failed.' },
	),
});
const PLACE = { record: Type.Optional(count), line: count, offset: count, field: Type.Optional(Type.String()) };
const COUNTED = (description: string) =>
	Type.Array(Type.Object({ text: Type.String(), cards: count, places: Type.Array(Type.Object(PLACE)) }), {
		description,
	});
export const REPORT_ENTRY = Type.Object({
	...PLACE,
	outcome: Type.String({ enum: OUTCOMES }),
	...{ reason: Type.Optional(Type.String()), warnings: Type.Optional(Type.Array(Type.String())) },
	...{ cardType: Type.Optional(Type.String()), lastFour: Type.Optional(Type.String()) },
	number: Type.Optional(Type.String({ description: 'First six and last four digits.' })),
});
/** What the engine found, as the report of a job has it: docs/reports.md. */
export const REPORT = Type.Object({
	notices: Type.Array(Type.String(), { description: 'What is worth saying of the file as a whole.' }),
	...REPORTED_JOB.properties,
	counts: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
		description: 'Null for a failed job.',
	}),
	warnings: COUNTED('Warnings of cards that were tokenized, each with its first places.'),
	refusals: COUNTED('Why cards were refused or tokens not resolved, each with its first places.'),
	others: COUNTED('Numbers that look like cards outside the places for them, with their first places.'),
	entriesOmitted: Type.Integer({ minimum: 0, description: 'Entries left out; the option report.cards brings all.' }),
	entries: Type.Array(REPORT_ENTRY),
});
const BYTES = { type: 'string', format: 'binary' };

const NEEDED = { tokenize: 'FileTokenize', detokenize: 'FileDetokenize' } as const;

/** Files taken in as jobs, over HTTP or sFTP (shapes §4, §11). An account sees its own. */
export function jobRoutes(rooms: HttpRooms): FastifyPluginAsync {
	const { database, intake } = rooms;
	const getJob = async (request: FastifyRequest): Promise<JobRow> => {
		const { id } = request.params as { id: JobRow['id'] };
		const job = isUlid(id) ? await jobStore(database.knex).findById(id) : undefined;
		if (job?.account_id !== request.principal.accountId)
			throw new ServiceError('uri-not-found', { field: 'id', problem: 'no such job' });
		return job;
	};
	return async (app) => {
		app.addHook('onRequest', async (request) => requireFilePermission(request));
		app.get(
			'/api/jobs',
			{
				schema: {
					summary: 'List jobs',
					description: 'Youngest first.',
					tags: ['jobs'],
					querystring: LIST_QUERY,
					response: { 200: Type.Array(JOB) },
				},
			},
			async (request, reply) => {
				const { state, from, num, filter, name, day } = request.query as ListQuery;
				const scope = { accountId: request.principal.accountId, state, offset: from, limit: num };
				const period = day ? parseDay(day, rooms.clock.now()) : {};
				const namePart = findReferenceValue('name', name);
				const jobs = await jobStore(database.knex).list({
					...scope,
					...period,
					namePart,
					filter: findSearchText(filter),
				});
				return answer(
					request,
					reply,
					jobs.map((job) => listedJob(job, request.principal.userId)),
					{ root: 'Job' },
				);
			},
		);
		app.get(
			'/api/jobs/:id',
			{
				schema: {
					summary: 'Look at a job',
					description: 'Its state, and how far it is.',
					tags: ['jobs'],
					params: PATH,
					response: { 200: JOB },
				},
			},
			async (request, reply) =>
				answer(request, reply, listedJob(await getJob(request), request.principal.userId), { root: 'Job' }),
		);
		app.get(
			'/api/jobs/:id/report',
			{
				schema: {
					summary: 'Read the report of a job',
					description: 'What was swapped, what was not and why; as CSV where the options of the account ask for one.',
					tags: ['jobs'],
					params: PATH,
					querystring: Type.Object({ format: Type.Optional(Type.String({ enum: ['json', 'csv'] })) }),
					response: {
						200: {
							description: 'The report.',
							content: {
								'text/json': { schema: REPORT },
								'text/csv': { schema: { type: 'string' } },
							},
						},
					},
				},
			},
			async (request, reply) => {
				const { format = 'json' } = request.query as { format?: 'json' | 'csv' };
				const file = await findReport(rooms, await getJob(request), format);
				if (!file) throw new ServiceError('uri-not-found', { moreInfo: 'the job has no such report' });
				reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : CONTENT_TYPES.json);
				return sendDrop(rooms, file, request, reply);
			},
		);
		app.get(
			'/api/jobs/:id/output',
			{
				schema: {
					summary: 'Read the output of a job',
					description: 'The file as it stands in the folder over sFTP, until its retention ends.',
					tags: ['jobs'],
					params: PATH,
					response: { 200: { description: 'The file.', content: { 'application/octet-stream': { schema: BYTES } } } },
				},
			},
			async (request, reply) => {
				const job = await getJob(request);
				requireFilePermission(request, job);
				const file = await findOutput(rooms, job);
				if (!file) throw new ServiceError('uri-not-found', { moreInfo: 'the job has no output' });
				const details = { name: job.name };
				await rooms.audit.record({
					...{ actor: actorOf(request.principal), action: 'file.download', subject: `job ${job.id}`, details },
				});
				await noteFetch(database.knex, { jobId: job.id, userId: request.principal.userId, door: 'http' }, rooms);
				reply.type('application/octet-stream');
				return sendDrop(rooms, file, request, reply);
			},
		);
		app.post(
			'/api/jobs/:id/retry',
			{
				schema: {
					summary: 'Process a failed job again',
					description: 'With its kept input.',
					tags: ['jobs'],
					params: PATH,
					response: { 202: JOB },
				},
			},
			async (request, reply) => {
				const job = await getJob(request);
				requireFilePermission(request, job);
				if (!(await intake.retry(job, retryNote(rooms.audit, actorOf(request.principal), job)))) {
					// Asked again: somebody else may have been faster.
					const { state } = await getJob(request);
					const problem = state === 'failed' ? 'the input of the job is gone' : 'expected a failed job';
					throw new ServiceError('bad-input-data', { field: 'id', problem });
				}
				reply.code(202);
				return answer(request, reply, listedJob(await getJob(request), request.principal.userId), { root: 'Job' });
			},
		);
	};
}

/** Either permission for files shows jobs; what a job holds needs the one of its direction. */
function requireFilePermission({ principal }: FastifyRequest, job?: JobRow): void {
	const needed = job ? [NEEDED[job.operation]] : permissions.filter((name) => name.startsWith('File'));
	if (needed.some((name) => principal.permissions.has(name))) return;
	throw new ServiceError('permission-denied', { moreInfo: `Permission ${needed[0]} is required` });
}
