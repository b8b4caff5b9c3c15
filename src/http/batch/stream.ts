// One batch: in the books before the first line leaves, and again at its end.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { transact } from '../../database/dialect.ts';
import type { AccountId, JobId } from '../../database/ids.ts';
import { makeUlid } from '../../drops/ulid.ts';
import { actorOf } from '../../identity/principal.ts';
import { openBulkStore } from '../../vault/bulk-store.ts';
import { pageStore } from '../../vault/page-store.ts';
import type { StreamClaim } from '../idempotency/stream-once.ts';
import { type ReplyBody, readBody, sendProduced } from '../input/streaming-body.ts';
import type { HttpRooms } from '../rooms.ts';
import { AnswerLines } from './answer-lines.ts';
import { CardBatch } from './batch.ts';
import { runBatch } from './run.ts';

export interface BatchWishes {
	readonly reference?: string;
	readonly merchantId?: AccountId;
	readonly eliminatesDuplicates: boolean;
	readonly keepsCvv: boolean;
}

/** Stores and answers a batch. After a failure what was answered stays, and cards that were not answered go. */
export async function streamBatch(
	rooms: HttpRooms,
	{ wishes, claim }: { readonly wishes: BatchWishes; readonly claim?: StreamClaim },
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { database, keyRing, vault, clock, engine, identity, logger, settings, elimination } = rooms;
	const { principal } = request;
	const now = clock.now();
	// Pages under it count for nothing until they are adopted, group by group.
	const jobId = makeUlid(now.getTime()) as JobId;
	const owner = { accountId: principal.ownerId, creatorId: principal.accountId };
	const store = await openBulkStore({
		...{ database, keyRing, ...owner, jobId, merchantId: wishes.merchantId, now },
		elimination,
	});
	const lines = new AnswerLines(`${settings.baseUrl}/api/payments/paycard/`);
	const { reference, merchantId } = wishes;
	const batch = new CardBatch({
		...{ ...wishes, store, lines, now },
		// Exactly as many as there are cards, before they are stored: batches in parallel cannot overdraw.
		...(!principal.isUnmetered && { takeUnits: (units: number) => identity.allowance.takeUpTo(principal, units) }),
		async attach(token, cvv) {
			if (reference === undefined && merchantId === undefined && !cvv) return;
			await vault.attach(principal.ownerId, token, { reference, merchantId, cvv });
		},
	});
	const book = bookOf(rooms, jobId, request);

	const source = async function* () {
		for await (const bytes of readBody(request)) {
			claim?.read(bytes);
			yield bytes;
		}
	};

	const produce = async (body: ReplyBody) => {
		await claim?.begin(`batch ${jobId}`);
		await book.begin();
		try {
			await runBatch({
				...{ source: source(), batch, lines },
				settle: () => store.settle(),
				write(bytes) {
					claim?.answered(bytes);
					return body.write(bytes);
				},
			});
			await pageStore(database.knex, database.dialect).forgetBlocks(jobId);
			await book.end(batch);
			await claim?.keep();
		} catch (error) {
			await engine.discard(jobId).catch((err) => logger.error({ err, jobId }, 'pages of a broken batch stay for now'));
			await book.endBroken(batch);
			throw error;
		} finally {
			batch.wipe();
		}
	};
	return sendProduced({ request, reply, logger }, () => {}, produce);
}

/** Allowance and audit trail of one batch. */
function bookOf({ audit, database, identity, logger }: HttpRooms, jobId: JobId, { principal }: FastifyRequest) {
	const entry = { actor: actorOf(principal), subject: `batch ${jobId}` };
	const end = ({ cards, refused }: { cards: number; refused: number }, isWhole: boolean) =>
		transact(database, async (transaction) => {
			if (principal.isUnmetered) await identity.allowance.count(principal, cards, transaction);
			const details = { cards, refused, isWhole };
			await audit.record({ ...entry, action: 'card.batch', details }, transaction);
		});
	return {
		begin() {
			return audit.record({ ...entry, action: 'card.batch.begin' });
		},
		end: (batch: CardBatch) => end(batch, true),
		/** After a failure, which is what the caller is to hear of, whatever comes of this: never fails. */
		endBroken: (batch: CardBatch) =>
			end(batch, false).catch((err) => {
				logger.error({ err, jobId }, 'the end of a broken batch is not in the audit trail');
			}),
	};
}
