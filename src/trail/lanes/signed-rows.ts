// Makes the rows that sign where lanes end.

import type { SealingKey } from '../../base/keys/key-ring.ts';
import { hashOfLink, type LaneEnd, signatureOf, signatureOfMain } from '../chain.ts';
import type { HeadRow, LinkedEnd, LinkRow } from './lane-store.ts';
import { laneOfRow, MAIN_ROW, rowOfLane } from './numbers.ts';

export function signedHead({ lane, ...end }: Required<Omit<LaneEnd, 'keyId'>>, { id, secret }: SealingKey): HeadRow {
	return { id: rowOfLane(lane), ...end, key_id: id, signature: signatureOf({ lane, ...end, keyId: id }, secret) };
}

/** Returns the next link of the main chain, which has the ends of the lanes, and the row of the end of the chain. */
export function nextLink(
	{ heads, at }: { readonly heads: readonly HeadRow[]; readonly at: number },
	main: Pick<HeadRow, 'seq' | 'hash'>,
	{ id: key_id, secret }: SealingKey,
): { link: LinkRow; main: HeadRow } {
	const text = JSON.stringify(linkedEnds(heads));
	const [number, previousHash] = [main.seq + 1, main.hash];
	const hash = hashOfLink({ number, at, heads: text, previousHash, keyId: key_id }, secret);
	const signature = signatureOfMain({ seq: number, hash, keyId: key_id }, secret);
	return {
		link: { number, at, heads: text, previous_hash: previousHash, key_id, hash },
		main: { id: MAIN_ROW, seq: number, hash, key_id, signature, lanes: 1, link: 0 },
	};
}

export function linkedEnds(heads: readonly HeadRow[]): LinkedEnd[] {
	return heads.filter(({ id }) => id !== MAIN_ROW).map(({ id, seq, hash }) => [laneOfRow(id), seq, hash]);
}
