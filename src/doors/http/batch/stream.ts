// Runs one batch. An entry is written into the audit trail before the first line is sent, and another one at the end.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { actorOf } from '../../../people/identity/principal.ts';
import { BulkCommit } from '../../../vault/cards/bulk-commit.ts';
import { openCardWriter } from '../../../vault/cards/card-writer.ts';
import type { EliminationLimit } from '../../../vault/cards/elimination.ts';
import type { LonePass } from '../../../vault/pages/page-owner.ts';
import type { Vault } from '../../../vault/vault.ts';
import { AnswerLines } from '../../../work/batch/answer-lines.ts';
import { AnswerRows } from '../../../work/batch/answer-rows.ts';
import { CardBatch } from '../../../work/batch/batch.ts';
import { CsvCards } from '../../../work/batch/csv-cards.ts';
import { runBatch } from '../../../work/batch/run.ts';
import { type Ledger, type Ledgers, lonePass } from '../../../work/ledger/ledger.ts';
import type { StreamClaim } from '../idempotency/once.ts';
import { type ReplyBody, readBody, sendProduced } from '../input/streaming-body.ts';
import { answeredErrorOf } from '../server/failures.ts';
import type { HttpSettings } from '../settings.ts';
import type { BatchFormats } from './formats.ts';
import { JsonCards } from './json-cards.ts';

interface BatchWishes {
	readonly reference?: string;
	readonly merchantId?: AccountId;
	readonly eliminatesDuplicates: boolean;
	readonly keepsCvv: boolean;
	readonly formats: BatchFormats;
}

const CARDS = { json: JsonCards, csv: CsvCards } as const;
const ANSWERS = { ndjson: AnswerLines, csv: AnswerRows } as const;

interface BatchesOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly vault: Vault;
	readonly ledgers: Ledgers;
	readonly clock: Clock;
	readonly settings: Pick<HttpSettings, 'baseUrl'>;
	readonly elimination?: EliminationLimit;
}

interface OpenedBatch {
	readonly wishes: BatchWishes;
	readonly claim?: StreamClaim;
	/**
	 * Opened before the batch begins: the pass that owns its pages, and the ledger that takes the units and writes the entries
	 * into the audit trail. Other calls find the cards only after the pages were made permanent, one group after another.
	 */
	readonly books: { readonly pass: LonePass; readonly ledger: Ledger };
}

export type Batches = ReturnType<typeof openBatches>;

export function openBatches(options: BatchesOptions) {
	const { ledgers, clock } = options;
	return {
		open({ principal }: FastifyRequest): OpenedBatch['books'] {
			const pass = lonePass(clock.now().getTime());
			const ledger = ledgers.open({
				kind: 'batch',
				id: pass.id,
				payer: principal,
				storesCards: true,
				actor: actorOf(principal),
				subject: `batch ${pass.id}`,
				action: 'card.batch',
			});
			return { pass, ledger };
		},
		/**
		 * Stores the cards of a batch and sends one line of the answer for each. After a failure, the cards that were answered
		 * stay, and those that were not are dropped.
		 */
		stream: (batch: OpenedBatch, request: FastifyRequest, reply: FastifyReply) =>
			streamBatch(options, batch, request, reply),
	};
}

async function streamBatch(
	{ database, keyRing, vault, clock, settings, elimination }: BatchesOptions,
	{ wishes, claim, books }: OpenedBatch,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { principal } = request;
	const { pass, ledger } = books;
	const now = new Date(pass.begunAt);
	const owner = { accountId: principal.ownerId, creatorId: principal.accountId };
	const writer = await openCardWriter({
		database,
		keyRing,
		...owner,
		pass,
		merchantId: wishes.merchantId,
		now,
		clock,
		elimination,
		eliminatesDuplicates: wishes.eliminatesDuplicates,
		commit: new BulkCommit(database),
	});
	const lines = new ANSWERS[wishes.formats.answer](`${settings.baseUrl}/api/payments/paycard/`);
	const { merchantId } = wishes;
	const batch = new CardBatch({
		...wishes,
		writer,
		lines,
		cards: new CARDS[wishes.formats.body](now),
		// The unit of each card is taken before the card is stored, so that parallel batches cannot overdraw the
		// allowance.
		takeUnits: ledger.takeUnits,
		async attach(token, cvv, reference) {
			await vault.attach(principal.ownerId, token, { reference, merchantId, cvv });
		},
	});
	const result = () => ({ cards: batch.cards, details: { refused: batch.refused } });

	const source = async function* () {
		for await (const bytes of readBody(request)) {
			claim?.read(bytes);
			yield bytes;
		}
	};

	const produce = async (body: ReplyBody) => {
		await claim?.begin({ kind: 'batch', id: pass.id });
		await ledger.begin();
		try {
			await runBatch({
				source: source(),
				batch,
				lines,
				settle: () => writer.settle(),
				write(bytes) {
					claim?.answered(bytes);
					return body.write(bytes);
				},
			});
			if (batch.cutBy) request.answeredError = answeredErrorOf(batch.cutBy);
			await ledger.end(result());
			await claim?.keep();
		} catch (error) {
			await ledger.endBroken(result());
			throw error;
		} finally {
			batch.wipe();
		}
	};
	return sendProduced({ request, reply }, () => {}, produce);
}
