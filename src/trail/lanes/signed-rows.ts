// Makes the rows that sign where lanes end.

import type { SealingKey } from '../../base/keys/key-ring.ts';
import { hashOfLink, type LaneEnd, signatureOf, signatureOfMain } from '../chain.ts';
import type { HeadRow, LinkedEnd, LinkRow } from './lane-store.ts';
import { laneOfRow, MAIN_ROW, rowOfLane } from './numbers.ts';

export function signedHead(of: Required<Omit<LaneEnd, 'key_id'>>, { id: key_id, secret }: SealingKey): HeadRow {
	const { lane, ...end } = { ...of, key_id };
	return { id: rowOfLane(lane), ...end, signature: signatureOf({ lane, ...end }, secret) };
}

/** Returns the next link of the main chain, which has the ends of the lanes, and the row of the end of the chain. */
export function nextLink(
	{ heads, at }: { readonly heads: readonly HeadRow[]; readonly at: number },
	main: Pick<HeadRow, 'seq' | 'hash'>,
	{ id: key_id, secret }: SealingKey,
): { link: LinkRow; main: HeadRow } {
	const content = {
		number: main.seq + 1,
		at,
		heads: JSON.stringify(linkedEnds(heads)),
		previous_hash: main.hash,
		key_id,
	};
	const hash = hashOfLink(content, secret);
	const end = { seq: content.number, hash, key_id };
	return {
		link: { ...content, hash },
		main: { id: MAIN_ROW, ...end, signature: signatureOfMain(end, secret), lanes: 1, link: 0 },
	};
}

/** Returns the ends of the lanes by their numbers, without that of the main chain. */
export function lanesOf(heads: readonly HeadRow[]): Map<number, HeadRow> {
	return new Map(heads.filter(({ id }) => id !== MAIN_ROW).map((head) => [laneOfRow(head.id), head]));
}

export function linkedEnds(heads: readonly HeadRow[]): LinkedEnd[] {
	return Array.from(lanesOf(heads), ([lane, { seq, hash }]) => [lane, seq, hash]);
}
