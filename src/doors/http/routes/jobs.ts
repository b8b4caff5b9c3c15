import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { isUlid } from '../../../base/database/ulid.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Format } from '../../../engine/format.ts';
import { requirePermission } from '../../../people/identity/permissions.ts';
import { actorOf } from '../../../people/identity/principal.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import { parseDay } from '../../../work/jobs/day.ts';
import { noteFetch } from '../../../work/jobs/fetch-store.ts';
import type { Intake } from '../../../work/jobs/intake.ts';
import { type JobRow, listedJob } from '../../../work/jobs/job.ts';
import { findOutput, findReport } from '../../../work/jobs/job-files.ts';
import { listNewestJobs } from '../../../work/jobs/job-page-store.ts';
import { jobStore } from '../../../work/jobs/job-store.ts';
import { retryNote } from '../../../work/jobs/queue/retry-note.ts';
import { type Call, callsAbout } from '../calls/call.ts';
import { BYTES, jsonOrXml } from '../calls/content.ts';
import { choice, DEFAULT_NUM, PAGE } from '../calls/fields.ts';
import { REPORT_ITEMS, REPORT_ROOT, sendDrop, sendXmlReport } from '../files/drops.ts';
import { checkFilter, filterShown } from '../files/filter.ts';
import {
	DONE_EXAMPLE,
	JOB,
	REPORT,
	REPORT_EXAMPLE,
	REPORT_EXAMPLE_CSV,
	RETRIED_EXAMPLE,
	STATES,
} from '../files/job-schemas.ts';
import { findReferenceValue } from '../input/query-values.ts';
import { noted } from '../input/schema-notes.ts';
import { CONTENT_TYPES, successFormat } from '../negotiation/negotiation.ts';

const PATH = Type.Object({
	id: Type.String({ description: 'Last part of the `Location` that the file was answered with.' }),
});
const LIST_QUERY = Type.Object({
	state: Type.Optional(choice(STATES)),
	...PAGE,
	filter: Type.Optional(Type.String({ description: 'The folder: `GBT`.' })),
	name: Type.Optional(Type.String({ description: 'A part of the name, as it is spelled there.' })),
	day: Type.Optional(Type.String({ description: 'Accepted on this day (UTC): `2026-05-31`, `today` or `yesterday`.' })),
});

const REPORT_QUERY = Type.Object({ format: Type.Optional(choice(['json', 'xml', 'csv'])) });
const SHAPE = { root: 'Job' } as const;
/**
 * A caller with either permission for files may read jobs and reports. To read the output of a job or to retry it, a
 * caller needs the permission for the direction of the job.
 */
const NEEDS = { anyPermission: ['FileTokenize', 'FileDetokenize'] } as const;
const define = callsAbout('jobs', NEEDS);

const NEEDED = { tokenize: 'FileTokenize', detokenize: 'FileDetokenize' } as const;

/** Defines the calls for jobs: files that came over HTTP or sFTP (shapes §4, §11). An account sees only its own. */
export function jobCalls(parts: {
	database: Database;
	audit: Audit;
	formats: ReadonlyMap<string, Format>;
	drops: Drops;
	intake: Intake;
	clock: Clock;
	logger: Logger;
}): Call[] {
	const { database, intake } = parts;
	const getJob = async (request: FastifyRequest): Promise<JobRow> => {
		const { id } = request.params as { id: JobRow['id'] };
		const job = isUlid(id) ? await jobStore(database.knex).findById(id) : undefined;
		if (job?.account_id !== request.principal.accountId)
			throw new ServiceError('uri-not-found', { field: 'id', problem: 'no such job' });
		return job;
	};
	const listQuery = Type.Object({
		...LIST_QUERY.properties,
		filter: noted(LIST_QUERY.properties.filter, filterShown(parts)),
	});
	return [
		define('GET', '/api/jobs', {
			summary: 'List jobs',
			description: 'Youngest first.',
			query: listQuery,
			returns: { schema: Type.Array(JOB), example: [DONE_EXAMPLE], ...SHAPE },
			handler: async (request) => {
				const { state, from = 0, num = DEFAULT_NUM, filter, name, day } = request.query;
				const scope = { accountId: request.principal.accountId, state, offset: from, limit: num };
				const period = day ? parseDay(day, parts.clock.now()) : {};
				const namePart = findReferenceValue('name', name);
				const jobs = await listNewestJobs(database, {
					...scope,
					...period,
					namePart,
					filter: filter ? checkFilter(parts, filter) : undefined,
				});
				return jobs.map((job) => listedJob(job, request.principal.userId));
			},
		}),
		define('GET', '/api/jobs/:id', {
			summary: 'Look at a job',
			description: 'Its state, and how far it is.',
			params: PATH,
			returns: { schema: JOB, example: DONE_EXAMPLE, ...SHAPE },
			failures: ['uri-not-found'],
			handler: async (request) => listedJob(await getJob(request), request.principal.userId),
		}),
		define('GET', '/api/jobs/:id/report', {
			summary: 'Read the report of a job',
			description: 'What was swapped, what was not and why; as CSV where the options of the account ask for one.',
			params: PATH,
			query: REPORT_QUERY,
			answers: {
				200: {
					description: 'The report.',
					content: {
						...jsonOrXml({ schema: REPORT, example: REPORT_EXAMPLE, root: REPORT_ROOT, items: REPORT_ITEMS }),
						'text/csv': { schema: { type: 'string' }, example: REPORT_EXAMPLE_CSV },
					},
				},
			},
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				const { format = successFormat(request.headers.accept) } = request.query;
				const file = await findReport(parts, await getJob(request), format === 'csv' ? 'csv' : 'json');
				if (!file) throw new ServiceError('uri-not-found', { moreInfo: 'the job has no such report' });
				reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : CONTENT_TYPES[format]);
				if (format === 'xml') return sendXmlReport(parts, file, request, reply);
				return sendDrop(parts, file, request, reply);
			},
		}),
		define('GET', '/api/jobs/:id/output', {
			summary: 'Read the output of a job',
			description: 'The file as it stands in the folder over sFTP, until its retention ends.',
			params: PATH,
			answers: { 200: { description: 'The file.', content: { 'application/octet-stream': { schema: BYTES } } } },
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				const job = await getJob(request);
				requirePermission(request.principal, NEEDED[job.operation]);
				const file = await findOutput(parts, job);
				if (!file) throw new ServiceError('uri-not-found', { moreInfo: 'the job has no output' });
				const details = { name: job.name };
				await parts.audit.record({
					actor: actorOf(request.principal),
					action: 'file.download',
					subject: `job ${job.id}`,
					details,
				});
				await noteFetch(database.knex, { jobId: job.id, userId: request.principal.userId, door: 'http' }, parts);
				reply.type('application/octet-stream');
				return sendDrop(parts, file, request, reply);
			},
		}),
		define('POST', '/api/jobs/:id/retry', {
			summary: 'Process a failed job again',
			description: 'With its kept input.',
			params: PATH,
			returns: { status: 202, schema: JOB, example: RETRIED_EXAMPLE, ...SHAPE },
			failures: ['uri-not-found'],
			handler: async (request) => {
				const job = await getJob(request);
				requirePermission(request.principal, NEEDED[job.operation]);
				if (!(await intake.retry(job, retryNote(parts.audit, actorOf(request.principal), job)))) {
					// The job could not be retried. It is read again to find out why, because another caller may have
					// retried it in the meantime.
					const { state } = await getJob(request);
					throw badInput('id', state === 'failed' ? 'the input of the job is gone' : 'expected a failed job');
				}
				return listedJob(await getJob(request), request.principal.userId);
			},
		}),
	];
}
