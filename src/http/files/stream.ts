// A file through the engine while it is being sent: in the books before the first byte leaves, and again at its end.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { OTHER_NUMBERS_FOUND, recordOtherNumbers } from '../../audit/other-numbers.ts';
import { transact } from '../../database/dialect.ts';
import type { JobId } from '../../database/ids.ts';
import { makeUlid } from '../../drops/ulid.ts';
import { actorOf } from '../../identity/principal.ts';
import { mergedOptions, ownOptionsOf } from '../../jobs/format-options.ts';
import type { Direction } from '../../transfer/format.ts';
import type { StreamClaim } from '../idempotency/stream-once.ts';
import { type ReplyBody, readBody, sendProduced } from '../input/streaming-body.ts';
import type { HttpRooms } from '../rooms.ts';
import { addTokenizationTrailers, type FileCounts } from './trailers.ts';
import { VerdictLists } from './verdict-lists.ts';

interface StreamedFile {
	readonly direction: Direction;
	readonly filter: string;
	readonly claim?: StreamClaim;
}

/** Answers with the swapped file. What had left before a failure stays valid; cards whose tokens had not are dropped. */
export async function streamFile(
	rooms: HttpRooms,
	{ direction, filter, claim }: StreamedFile,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { engine, clock, logger } = rooms;
	const { principal } = request;
	const jobId = makeUlid(clock.now().getTime()) as JobId;
	const own = ownOptionsOf(principal, direction);
	const scope = { accountId: principal.accountId, filter };
	const options = await mergedOptions(rooms, scope, own ? JSON.stringify(own) : null);
	const verdicts = new VerdictLists();
	const book = bookOf(rooms, { direction, filter, jobId }, request);
	let counts: FileCounts = { cards: 0, refused: 0, warned: 0 };

	const produce = async (body: ReplyBody) => {
		await claim?.begin(`stream ${jobId}`);
		await book.begin();
		try {
			const summary = await engine.run({
				...{ jobId, direction, filter, options, isStreamed: true },
				accountId: principal.accountId,
				source: readBody(request),
				// The engine uses its buffers again while the client reads.
				sink: { write: (bytes) => body.write(Buffer.from(bytes)) },
				report: verdicts,
				onProgress: (progress) => {
					counts = progress;
				},
			});
			counts = summary;
			await book.end(counts);
		} catch (error) {
			await engine.discard(jobId).catch((err) => logger.error({ err, jobId }, 'pages of a broken stream stay for now'));
			await book.endBroken(body.hasStarted ? counts : { cards: 0, refused: 0, warned: 0 });
			throw error;
		}
	};
	const begin = () => {
		reply.type('application/octet-stream');
		if (direction === 'detokenize') return;
		addTokenizationTrailers(reply, verdicts, () => counts);
	};
	return sendProduced({ request, reply, logger }, begin, produce);
}

/** Allowance and audit trail of one streamed file. */
function bookOf(
	rooms: HttpRooms,
	{ direction, filter, jobId }: StreamedFile & { jobId: JobId },
	request: FastifyRequest,
) {
	const { audit, database, identity, logger } = rooms;
	const { principal } = request;
	const entry = { actor: actorOf(principal), subject: `stream ${jobId}` };
	const end = async ({ cards, refused, otherNumbers = 0 }: FileCounts, isWhole: boolean) => {
		await transact(database, async (transaction) => {
			if (direction === 'tokenize') await identity.allowance.count(principal, cards, transaction);
			const details = { filter, cards, refused, isWhole };
			await audit.record({ ...entry, action: `file.${direction}`, details }, transaction);
			await recordOtherNumbers(audit, { ...entry, filter, otherNumbers }, transaction);
		});
		if (otherNumbers > 0) logger.warn({ jobId, filter, otherNumbers }, OTHER_NUMBERS_FOUND);
	};
	return {
		begin() {
			return audit.record({ ...entry, action: `file.${direction}.begin`, details: { filter } });
		},
		end: (counts: FileCounts) => end(counts, true),
		/** After a failure, which is what the caller is to hear of, whatever comes of this: never fails. */
		endBroken: (counts: FileCounts) =>
			end(counts, false).catch((err) => {
				logger.error({ err, jobId }, 'the end of a broken stream is not in the audit trail');
			}),
	};
}
