import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Direction, Format } from '../../../engine/format.ts';
import { type Call, defineCall } from '../calls/call.ts';
import { BYTES, jsonOrXml } from '../calls/content.ts';
import { CLEAR_FILE, FILE_BYTES, TOKEN_FILE } from '../calls/samples.ts';
import { checkFilter, filterParameter } from '../files/filter.ts';
import type { FileJobs } from '../files/job.ts';
import { JOB, QUEUED_EXAMPLE } from '../files/job-schemas.ts';
import type { FileStreams } from '../files/stream.ts';
import { MAX_LIST_CHARACTERS } from '../files/verdict-lists.ts';
import type { Once } from '../idempotency/once.ts';
import { findFlag } from '../input/query-values.ts';
import { FLAG } from '../tokens/schemas.ts';

const QUERY = Type.Object({
	async: FLAG('Make a job of it, answered with 202 once the file is here.'),
	name: Type.Optional(Type.String({ description: 'What the file of a job is called; made up when absent' })),
});

interface FileQuery extends Static<typeof QUERY> {
	readonly filter: string;
}

const WAYS = {
	tokenize: {
		permission: 'FileTokenize',
		summary: 'Tokenize a file',
		sent: CLEAR_FILE,
		answered: TOKEN_FILE,
		job: QUEUED_EXAMPLE,
	},
	detokenize: {
		permission: 'FileDetokenize',
		summary: 'Detokenize a file',
		sent: TOKEN_FILE,
		answered: CLEAR_FILE,
		job: { ...QUEUED_EXAMPLE, operation: 'detokenize', bytesTotal: FILE_BYTES.token },
	},
} as const;

const LOCATION = { Location: { schema: { type: 'string' }, description: 'The path of the job.' } };

const DESCRIPTION = `Body in, body out, streamed: read the answer while you send. A file that cannot be processed is a 400 with the
position as long as no byte has left; after that the connection is cut, and what was sent stays valid. The trailers
X-service-Tokenization-Errors and -Warnings list the verdicts card by card, at most ${MAX_LIST_CHARACTERS.toLocaleString('en')} characters each;
X-service-Tokenization-Counts has all of them, X-service-Tokenization-Notices what is worth saying of the file as a whole.
With an Idempotency-Key a file is processed once: with async=true the repetition is answered with the same job, without it
with 409, since the file that was answered is not kept.`;

/** Defines the calls for files (shapes §4): one is streamed through the engine at once or accepted as a job. */
export function fileCalls(parts: {
	formats: ReadonlyMap<string, Format>;
	once: Once;
	fileStreams: FileStreams;
	fileJobs: FileJobs;
}): Call[] {
	const query = Type.Object({ filter: filterParameter(parts), ...QUERY.properties });
	return (['tokenize', 'detokenize'] as const).map((direction) => {
		const { permission, summary, sent, answered, job } = WAYS[direction];
		return defineCall('POST', `/api/files/${direction}`, {
			summary,
			description: DESCRIPTION,
			tag: 'files',
			needs: { permission },
			isIdempotent: true,
			intake: 'stream',
			query,
			body: { isRequired: true, content: { 'application/octet-stream': { schema: BYTES, example: sent } } },
			answers: {
				200: {
					description: 'The swapped file.',
					content: { 'application/octet-stream': { schema: BYTES, example: answered } },
				},
				202: { headers: LOCATION, content: jsonOrXml({ schema: JOB, example: job, root: 'Job' }) },
			},
			failures: [
				...(['allowance-exceeded', 'file-malformed'] as const),
				...(['storage-quota-exceeded', 'drop-store-unavailable'] as const),
			],
			handler: (request, reply) => takeFile(parts, direction, request, reply),
		});
	});
}

async function takeFile(
	parts: { formats: ReadonlyMap<string, Format>; once: Once; fileStreams: FileStreams; fileJobs: FileJobs },
	direction: Direction,
	request: FastifyRequest,
	reply: FastifyReply,
) {
	const query = request.query as FileQuery;
	const isAsync = findFlag('async', query.async) ?? false;
	const filter = checkFilter(parts, query.filter);
	if (isAsync) return parts.fileJobs.make({ direction, filter, name: query.name }, request, reply);
	return parts.once.stream({ request, reply }, (claim) =>
		parts.fileStreams.answer({ direction, filter, claim }, request, reply),
	);
}
