// Walks the main chain, and compares the ends that it has with the lanes. A lane that was cut or put back to an earlier
// end together with its rows fits itself, but not the links that were made later.

import type { Knex } from 'knex';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { hashOfLink, ORIGIN_HASH, signatureOfMain } from '../chain.ts';
import { type HeadRow, type LinkedEnd, type LinkRow, laneStore } from '../lanes/lane-store.ts';
import { MAIN_ROW } from '../lanes/numbers.ts';
import { lanesOf } from '../lanes/signed-rows.ts';
import { noteStore } from '../note-store.ts';
import { findAuditKey } from './proven-entries.ts';

/**
 * Tells how the lanes do not fit the main chain. `link-broken`: a link is altered or missing, or the signed end of the
 * chain is. `lane-missing`: a link has a lane that is not there. `lane-behind`: a lane ends earlier than a link says, or
 * lacks its entry.
 */
export type LaneBreak = 'link-broken' | 'lane-missing' | 'lane-behind';

/** The first break, and the entry from which on the lanes do not fit, or no link says anything. */
export interface BrokenLane {
	readonly brokenAt: number;
	readonly reason: LaneBreak;
}

const BATCH_LINKS = 500;

/** Compares the main chain with the ends of the lanes, which were read at one moment; undefined if everything fits. */
export async function verifyLinks(
	knex: Knex,
	keyRing: KeyRing,
	heads: readonly HeadRow[],
): Promise<BrokenLane | undefined> {
	const main = heads.find(({ id }) => id === MAIN_ROW);
	const lanes = lanesOf(heads);
	if (!main && [...lanes.values()].every((head) => head.lanes === 1)) return undefined;
	/** The ends in the last link that was walked. */
	let ends = new Map<number, LinkedEnd>();
	const after = () => Math.max(0, ...[...ends.values()].map(([, seq]) => seq)) + 1;
	const brokenChain = (): BrokenLane => ({ brokenAt: after(), reason: 'link-broken' });
	const mainKey = main && (await findAuditKey(keyRing, main.key_id));
	if (!main || !mainKey || signatureOfMain(main, mainKey) !== main.signature) return brokenChain();

	let last: Pick<LinkRow, 'number' | 'hash'> = { number: 0, hash: ORIGIN_HASH };
	while (last.number < main.seq) {
		const links = (await laneStore(knex).listLinksAfter(last.number, BATCH_LINKS)).filter(
			({ number }) => number <= main.seq,
		);
		if (links.length === 0) return brokenChain();
		const known = await entriesOf(links, knex);
		for (const link of links) {
			if (link.number !== last.number + 1 || link.previous_hash !== last.hash || !(await isOurs(link, keyRing)))
				return brokenChain();
			const linked = new Map((JSON.parse(link.heads) as LinkedEnd[]).map((end) => [end[0], end]));
			const gone = [...linked.values()].find(([lane]) => !lanes.has(lane));
			if (gone) return { brokenAt: gone[1], reason: 'lane-missing' };
			const broken = compareEnds(ends, linked, known);
			if (broken) return broken;
			[ends, last] = [linked, link];
		}
	}
	if (last.hash !== main.hash) return brokenChain();
	return compareHeads(ends, lanes, main);
}

/** Compares the ends of a link with those of the link before. */
function compareEnds(
	before: ReadonlyMap<number, LinkedEnd>,
	linked: ReadonlyMap<number, LinkedEnd>,
	known: ReadonlyMap<number, string>,
): BrokenLane | undefined {
	for (const [lane, seq] of before.values())
		if ((linked.get(lane)?.[1] ?? -1) < seq) return { brokenAt: seq, reason: 'link-broken' };
	for (const [, seq, hash] of linked.values())
		if (seq > 0 && known.get(seq) !== hash) return { brokenAt: seq, reason: 'lane-behind' };
	return undefined;
}

/** Compares the ends of the lanes with those of the last link, which they have grown beyond since. */
function compareHeads(
	ends: ReadonlyMap<number, LinkedEnd>,
	lanes: ReadonlyMap<number, HeadRow>,
	main: HeadRow,
): BrokenLane | undefined {
	for (const [lane, head] of lanes)
		if (head.seq < (ends.get(lane)?.[1] ?? 0)) return { brokenAt: head.seq + 1, reason: 'lane-behind' };
	for (const head of lanes.values()) if (head.link > main.seq) return { brokenAt: head.seq, reason: 'link-broken' };
	return undefined;
}

async function entriesOf(links: readonly LinkRow[], knex: Knex): Promise<Map<number, string>> {
	const ends = links.flatMap(({ heads }) => JSON.parse(heads) as LinkedEnd[]);
	return noteStore(knex).hashesOf([...new Set(ends.map(([, seq]) => seq))]);
}

async function isOurs(link: LinkRow, keyRing: KeyRing): Promise<boolean> {
	const key = await findAuditKey(keyRing, link.key_id);
	return key !== undefined && hashOfLink(link, key) === link.hash;
}
