// Derives counts of cards and files from entries of the audit trail.

import type { Direction } from '../../engine/format.ts';
import type { AuditDetails } from '../../trail/entry.ts';
import { type CardWay, cardsKind, FAILED, fileKind, isRefusal, refusedKind } from './kinds.ts';

/** The action of entries that are about one card each. The database counts them, so they are not read one by one. */
export const SINGLE_CARD = 'card.store';

/** The details of an audit entry contain this text if its card came through a form. */
export const FROM_FORM = '"door":"form"';

/** The actions of audit entries that state a number of cards or are about a file. */
export const COUNTED_ACTIONS = [
	...(['file.tokenize', 'file.detokenize', 'file.failed', 'file.capture'] as const),
	...(['card.batch', 'card.capture', 'card.inbound', 'card.import'] as const),
] as const;

const JOB = 'job ';

export interface CountedEntry {
	readonly action: string;
	readonly subject: string;
	readonly details: string;
}

export function jobOf({ subject }: Pick<CountedEntry, 'subject'>): string | undefined {
	return subject.startsWith(JOB) ? subject.slice(JOB.length) : undefined;
}

export function countsOf({ action, subject, details: text }: CountedEntry): [kind: string, count: number][] {
	const details = JSON.parse(text) as AuditDetails;
	const cards = Number(details.cards ?? 0);
	const refused = Number(details.refused ?? 0);
	if (action === 'file.failed') return [[FAILED, 1]];
	const direction = directionOf(action);
	if (direction !== undefined && subject.startsWith(JOB)) {
		const kind = fileKind(direction, String(details.filter));
		const way: CardWay = direction === 'tokenize' ? 'file' : 'back';
		const refusals = direction === 'tokenize' ? refusalsOf(details.reasons, refused) : [];
		return [[kind, 1], [cardsKind(way), cards], ...refusals];
	}
	// A file that was streamed through an HTTP call has no job. Its cards are counted, but not the file itself.
	if (action === 'file.detokenize') return [[cardsKind('back'), cards]];
	const way: CardWay = action === 'card.import' ? 'import' : 'http';
	return [
		[cardsKind(way), cards],
		[refusedKind('call'), refused],
	];
}

function directionOf(action: string): Direction | undefined {
	if (action === 'file.tokenize') return 'tokenize';
	return action === 'file.detokenize' ? 'detokenize' : undefined;
}

/**
 * Reads from the audit entry of a job why cards were refused, such as `luhn 3, expired 1`. Refused cards for which the
 * entry gives no reason are counted under `other`.
 */
function refusalsOf(reasons: AuditDetails[string] | undefined, refused: number): [string, number][] {
	const counts: [string, number][] = [];
	let others = refused;
	for (const part of typeof reasons === 'string' ? reasons.split(', ') : []) {
		const [reason, number] = part.split(' ', 2);
		const count = Number(number);
		if (!isRefusal(reason) || !Number.isSafeInteger(count)) continue;
		counts.push([refusedKind(reason), count]);
		others -= count;
	}
	return others > 0 ? [...counts, [refusedKind('other'), others]] : counts;
}
