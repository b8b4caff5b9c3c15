import type {} from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Direction } from '../../transfer/format.ts';
import { makeJob } from '../files/job.ts';
import { streamFile } from '../files/stream.ts';
import { MAX_LIST_CHARACTERS } from '../files/verdict-lists.ts';
import { streamOnce } from '../idempotency/stream-once.ts';
import { findFlag } from '../input/query-values.ts';
import { addStreamedBodies } from '../input/streaming-body.ts';
import type { HttpRooms } from '../rooms.ts';
import { FLAG } from '../tokens/schemas.ts';
import { JOB } from './jobs.ts';

interface FileQuery {
	readonly filter: string;
	readonly async?: string;
	readonly name?: string;
}

const QUERY = Type.Object({
	filter: Type.String({
		description: 'Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV',
	}),
	async: FLAG('Make a job of it, answered with 202 once the file is here.'),
	name: Type.Optional(Type.String({ description: 'What the file of a job is called; made up when absent' })),
});

const BYTES = { type: 'string', format: 'binary' };

const WAYS = {
	tokenize: { permission: 'FileTokenize', summary: 'Tokenize a file' },
	detokenize: { permission: 'FileDetokenize', summary: 'Detokenize a file' },
} as const;

const DESCRIPTION = `Body in, body out, streamed: read the answer while you send. A file that cannot be processed is a 400 with the
position as long as no byte has left; after that the connection is cut, and what was sent stays valid. The trailers
X-service-Tokenization-Errors and -Warnings list the verdicts card by card, at most ${MAX_LIST_CHARACTERS.toLocaleString('en')} characters each;
X-service-Tokenization-Counts has all of them, X-service-Tokenization-Notices what is worth saying of the file as a whole.
With an Idempotency-Key a file is processed once: with async=true the repetition is answered with the same job, without it
with 409, since the file that was answered is not kept.`;

/** Files over HTTP (shapes §4): streamed through the engine, or taken in as jobs. */
export function fileRoutes(rooms: HttpRooms): FastifyPluginAsync {
	return async (app) => {
		addStreamedBodies(app);
		for (const direction of ['tokenize', 'detokenize'] as const) {
			const { permission, summary } = WAYS[direction];
			app.post(
				`/api/files/${direction}`,
				{
					config: { permission, isStreamed: true, isIdempotent: true },
					schema: {
						...{ summary, description: DESCRIPTION, tags: ['files'], querystring: QUERY },
						response: {
							200: { description: 'The swapped file.', content: { 'application/octet-stream': { schema: BYTES } } },
							202: JOB,
						},
					},
				},
				(request, reply) => takeFile(rooms, direction, request, reply),
			);
		}
	};
}

async function takeFile(rooms: HttpRooms, direction: Direction, request: FastifyRequest, reply: FastifyReply) {
	const query = request.query as FileQuery;
	const isAsync = findFlag('async', query.async) ?? false;
	const filter = query.filter.toUpperCase();
	if (!rooms.formats.has(filter)) {
		const known = [...rooms.formats.keys()].join(', ');
		throw new ServiceError('bad-input-data', { field: 'filter', problem: `expected one of ${known}` });
	}
	if (isAsync) return makeJob(rooms, { direction, filter, name: query.name }, request, reply);
	return streamOnce(rooms, { request, reply }, (claim) =>
		streamFile(rooms, { direction, filter, claim }, request, reply),
	);
}
