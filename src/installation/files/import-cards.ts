// Stores the cards of a table or JSON list that an operator imports for an account. They are judged and stored in the same
// way as a batch over HTTP.

import { systemClock } from '../../base/clock.ts';
import { BulkCommit } from '../../vault/cards/bulk-commit.ts';
import { openCardWriter } from '../../vault/cards/card-writer.ts';
import type { CardLines } from '../../work/batch/answer-lines.ts';
import { AnswerRows } from '../../work/batch/answer-rows.ts';
import { CardBatch } from '../../work/batch/batch.ts';
import { type BatchCards, BatchError } from '../../work/batch/batch-cards.ts';
import { CsvCards } from '../../work/batch/csv-cards.ts';
import { ListCards } from '../../work/batch/list-cards.ts';
import { runBatch } from '../../work/batch/run.ts';
import { lonePass, openLedgers } from '../../work/ledger/ledger.ts';
import { boundEngine } from '../opening/bound-engine.ts';
import { openCommandVault } from '../opening/command-vault.ts';
import { type CommandOpening, openCommandParts } from '../opening/open-parts.ts';
import { eliminationLimit } from '../opening/report-elimination-limit.ts';

export interface CardImport {
	readonly userId: string;
	/** Names the source of the table, for the audit trail. */
	readonly name: string;
	readonly source: AsyncIterable<Buffer>;
	/** If true, a card that the account has already stored gets its existing token. */
	readonly eliminatesDuplicates: boolean;
	/** Receives rows of the result, whose cards are already durable. */
	write(rows: Buffer): Promise<void>;
}

export type ImportResult = Awaited<ReturnType<typeof importCards>>;

/** At most this many problems are collected; the rows of the result contain every problem. */
const MAX_PROBLEMS = 1000;

class Problems {
	/** Each text names the line and field of a refused card. The last one may be the reason why the import ended early. */
	readonly texts: string[] = [];

	note(text: string): void {
		// If the list is full, the new problem replaces the last one in it, because the newest problem may say why the
		// rest of the table was not read.
		if (this.texts.length === MAX_PROBLEMS) this.texts.pop();
		this.texts.push(text);
	}
}

/**
 * Stores the cards of a table. After a failure the rows already written stay valid, and cards without a written row are
 * dropped.
 * @throws ServiceError if nothing is left of the allowance, or the header row names no card
 */
export async function importCards(context: CommandOpening, order: CardImport) {
	const parts = await openCommandParts(context);
	const { database, keyRing, audit, identity, actor } = parts;
	const { id: accountId } = await identity.accounts.get(order.userId);
	const { engine, accounts } = await boundEngine(parts, context.settings);
	const owner = await accounts.getAccount(accountId);
	const now = systemClock.now();
	const pass = lonePass(now.getTime());
	const ledger = openLedgers({ database, audit, allowance: identity.allowance, engine }).open({
		kind: 'import',
		id: pass.id,
		payer: owner,
		storesCards: true,
		actor,
		subject: `account ${order.userId}`,
		action: 'card.import',
		details: { name: order.name },
	});
	const elimination = eliminationLimit(parts, context.settings);
	const vault = await openCommandVault(parts, context);
	const writer = await openCardWriter({
		database,
		keyRing,
		accountId: owner.ownerId,
		creatorId: accountId,
		pass,
		now,
		elimination,
		clock: systemClock,
		eliminatesDuplicates: order.eliminatesDuplicates,
		commit: new BulkCommit(database),
	});
	const { source, cards } = await openTable(order.source, now);
	const problems = new Problems();
	const lines = notingErrors(new AnswerRows(null), problems);
	const batch = new CardBatch({
		writer,
		lines,
		cards,
		takeUnits: ledger.takeUnits,
		keepsCvv: owner.hasCvvRetention,
		async attach(token, cvv, reference) {
			await vault.attach(owner.ownerId, token, { reference, cvv });
		},
	});
	const result = () => ({ cards: batch.cards, details: { refused: batch.refused } });
	await ledger.begin();
	try {
		await runBatch({ source, batch, lines, settle: () => writer.settle(), write: order.write });
		await ledger.end(result());
	} catch (error) {
		await ledger.endBroken(result());
		throw error;
	} finally {
		batch.wipe();
	}
	// `isWhole` is false if the table was not read to its end or the allowance was used up; the last problem says which.
	return { cards: batch.cards, refused: batch.refused, isWhole: batch.cutBy === undefined, problems: problems.texts };
}

/**
 * Reads and judges a table without storing anything.
 * @throws ServiceError if the header row names no card
 */
export async function tryCards(
	context: CommandOpening,
	order: Pick<CardImport, 'userId' | 'source'>,
): Promise<ImportResult> {
	const { identity } = await openCommandParts(context);
	await identity.accounts.get(order.userId);
	const { source, cards } = await openTable(order.source, systemClock.now());
	const problems = new Problems();
	const counts = { cards: 0, refused: 0 };
	const take = async (piece: Buffer | null) => {
		await cards.feed(piece);
		while (cards.next()) {
			const { error } = cards.card;
			counts[error === null ? 'cards' : 'refused']++;
			if (error !== null) problems.note(error);
		}
		cards.forget();
	};
	let isWhole = true;
	try {
		for await (const piece of source) await take(piece);
		await take(null);
	} catch (error) {
		if (!(error instanceof BatchError)) throw error;
		isWhole = false;
		problems.note(error.message);
	} finally {
		cards.wipe();
	}
	return { ...counts, isWhole, problems: problems.texts };
}

/** Finds out by the first character that is no blank whether a source is a table or a JSON list. */
async function openTable(source: AsyncIterable<Buffer>, now: Date) {
	const pieces = source[Symbol.asyncIterator]();
	let head: Buffer = Buffer.alloc(0);
	let first = '';
	// With fewer than four bytes, the byte order mark may still be incomplete.
	while (first === '' || head.length < 4) {
		const { done, value } = await pieces.next();
		if (done) break;
		head = Buffer.concat([head, value]);
		first = head.toString().trimStart().charAt(0);
	}
	async function* whole() {
		yield head;
		yield* { [Symbol.asyncIterator]: () => pieces };
	}
	const cards: BatchCards = first === '[' || first === '{' ? new ListCards(now) : new CsvCards(now);
	return { source: whole(), cards };
}

function notingErrors(lines: CardLines, problems: Problems): CardLines {
	return {
		addToken: (...given) => lines.addToken(...given),
		addError(index, error) {
			problems.note(error);
			lines.addError(index, error);
		},
		take: () => lines.take(),
	};
}
