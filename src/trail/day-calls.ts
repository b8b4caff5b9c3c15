// Counts the HTTP calls of a period that tokenized, detokenized or relayed cards, by caller, from the entries of the
// trail.

import type { Knex } from 'knex';
import { auditStore } from './audit-store.ts';
import type { AuditDetails } from './entry.ts';

type Operation = 'tokenize' | 'detokenize';

/** Holds the count for one caller, one kind of call and one direction. */
export interface CallCount {
	readonly by: string;
	readonly operation: Operation;
	readonly way: string;
	/** The number of entries; a batch or a file has one entry. */
	readonly calls: number;
	readonly cards: number;
	readonly refused: number;
}

interface Way {
	readonly operation: Operation;
	readonly way: string;
	/** True if entries of this kind state a number of cards; otherwise each entry is about a single card. */
	readonly isCounted?: true;
}

const WAYS: Readonly<Record<string, Way>> = {
	'card.store': { operation: 'tokenize', way: 'single cards' },
	'card.batch': { operation: 'tokenize', way: 'batches', isCounted: true },
	'card.capture': { operation: 'tokenize', way: 'captured answers', isCounted: true },
	'card.inbound': { operation: 'tokenize', way: 'inbound messages', isCounted: true },
	'card.relay': { operation: 'detokenize', way: 'relayed cards' },
	'file.tokenize': { operation: 'tokenize', way: 'streamed files', isCounted: true },
	'file.detokenize': { operation: 'detokenize', way: 'streamed files', isCounted: true },
};
const [COUNTED, SINGLE] = [true, false].map((isCounted) =>
	Object.keys(WAYS).filter((action) => (WAYS[action].isCounted === true) === isCounted),
);
/**
 * Entries about streamed files have a subject that begins with this text. Only these files count as calls: other files
 * belong to jobs, which are listed with their folder, or were processed by a command of an operator.
 */
const STREAM = 'stream ';
const PAGE = 5_000;

/** Returns the counts, sorted by caller; `by` selects one caller. */
export async function countCalls(
	knex: Knex,
	{ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
	by?: string,
): Promise<CallCount[]> {
	const store = auditStore(knex);
	const range = { first: await store.findFirstSince(fromMs), last: (await store.findFirstSince(toMs)) - 1 };
	const counts = new Map<string, { -readonly [Name in keyof CallCount]: CallCount[Name] }>();
	const add = (actor: string, action: string, more: Pick<CallCount, 'calls' | 'cards' | 'refused'>) => {
		const { operation, way } = WAYS[action];
		const key = JSON.stringify([actor, operation, way]);
		const count = counts.get(key) ?? { by: actor, operation, way, calls: 0, cards: 0, refused: 0 };
		counts.set(key, count);
		for (const name of ['calls', 'cards', 'refused'] as const) count[name] += more[name];
	};
	for (const { actor, action, calls } of await store.countByActor(SINGLE, range, by)) {
		add(actor, action, { calls, cards: calls, refused: 0 });
	}
	for (let first = range.first; ; ) {
		const rows = await store.listOfActions(COUNTED, { ...range, first }, by, PAGE);
		for (const { actor, action, subject, details: text } of rows) {
			if (action.startsWith('file.') && !subject.startsWith(STREAM)) continue;
			const details = JSON.parse(text) as AuditDetails;
			add(actor, action, { calls: 1, cards: Number(details.cards ?? 0), refused: Number(details.refused ?? 0) });
		}
		if (rows.length < PAGE) break;
		first = rows.at(-1)!.seq + 1;
	}
	return [...counts.values()].sort((one, other) => (one.by < other.by ? -1 : 1));
}
