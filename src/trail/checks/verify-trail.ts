import type { Knex } from 'knex';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type AuditRow, auditStore } from '../audit-store.ts';
import { hashOf, ORIGIN_HASH, signatureOf } from '../chain.ts';
import { type HeadRow, laneStore } from '../lanes/lane-store.ts';
import { laneOfRow } from '../lanes/numbers.ts';
import { lanesOf } from '../lanes/signed-rows.ts';
import { findAuditKey } from './proven-entries.ts';
import { type LaneBreak, verifyLinks } from './verify-links.ts';

/**
 * Tells how the trail is broken. `altered`: an entry's content does not match its hash. `reordered`: it matches its own
 * hash but not the entry before it. `missing`: a number is skipped, or the entry before in its lane. `cut`: a lane ends
 * earlier than its head says. `added`: a lane continues after its head. `head-missing`, `head-altered`: the row that says
 * where a lane ends is missing or altered. `restarted`: the head was gone when a daemon started, so entries before this one may be gone
 * too. `unfounded`: the first entry is not that of the installation, or the trail has an `installation.adopt` where
 * none can be, because the notes of the head were removed.
 */
export type TrailBreak =
	| 'altered'
	| 'reordered'
	| 'missing'
	| 'cut'
	| 'added'
	| 'head-missing'
	| 'head-altered'
	| 'restarted'
	| 'unfounded'
	| LaneBreak;

export type TrailVerdict =
	| { readonly isWhole: true; readonly entries: number }
	| { readonly isWhole: false; readonly entries: number; readonly brokenAt: number; readonly reason: TrailBreak };

const BATCH_ROWS = 1_000;
/** Trails that are older than the action `installation.create` have this action in their first entry. */
const OLD_FIRST_ACTION = 'audit.start';

type LastEntry = Pick<AuditRow, 'seq' | 'hash'>;

const NO_ENTRY: LastEntry = { seq: 0, hash: ORIGIN_HASH };

/**
 * Verifies the trail up to the ends of its lanes at the start; entries written meanwhile are left to the next run. It
 * cannot notice that all ends and the main chain were put back together with the rows of their time, but `compareHeads`
 * can.
 */
export async function verifyTrail(knex: Knex, keyRing: KeyRing): Promise<TrailVerdict> {
	const store = auditStore(knex);
	const heads = await laneStore(knex).listHeads();
	const lanes = lanesOf(heads);
	const end = Math.max(0, ...Array.from(lanes.values(), ({ seq }) => seq));
	const ends = new Map<number, LastEntry>();
	let entries = 0;
	const broken = (brokenAt: number, reason: TrailBreak): TrailVerdict => ({
		isWhole: false,
		entries,
		brokenAt,
		reason,
	});
	const first = lanes.get(0);
	if (!first) return broken(1, 'head-missing');
	for (const head of lanes.values()) if (!(await isSigned(head, keyRing))) return broken(head.seq, 'head-altered');

	/** The first entry of each lane after its end. */
	const beyond = new Map<number, AuditRow>();
	let canAdopt = false;
	for (let after = 0; after < end; ) {
		const rows = (await store.listAfter(after, BATCH_ROWS)).filter(({ seq }) => seq <= end);
		if (rows.length === 0) break;
		after = rows.at(-1)!.seq;
		for (const row of rows) {
			const lane = row.lane ?? 0;
			const head = lanes.get(lane);
			if (!head || row.seq > head.seq) {
				if (!beyond.has(lane)) beyond.set(lane, row);
				continue;
			}
			const last = ends.get(lane) ?? NO_ENTRY;
			const reason = await findBreak(row, last, keyRing);
			if (reason) return broken(isGap(row, reason) ? last.seq + 1 : row.seq, reason);
			if (row.seq === 1 && row.action !== 'installation.create' && row.action !== OLD_FIRST_ACTION) {
				return broken(row.seq, 'unfounded');
			}
			if (row.seq === 1) canAdopt = row.action === OLD_FIRST_ACTION;
			if (row.action === 'installation.adopt') {
				if (!canAdopt) return broken(row.seq, 'unfounded');
				canAdopt = false;
			}
			ends.set(lane, row);
			entries += 1;
		}
	}
	for (const [lane, head] of lanes) {
		const last = ends.get(lane) ?? NO_ENTRY;
		if (last.seq < head.seq) return broken(last.seq + 1, 'cut');
		if (last.hash !== head.hash) return broken(head.seq, 'head-altered');
	}
	for (const row of await store.listAfter(end, BATCH_ROWS))
		if (!beyond.has(row.lane ?? 0)) beyond.set(row.lane ?? 0, row);
	const added = await findAdded(beyond, lanes, knex);
	if (added) return broken(added.seq, lanes.has(added.lane ?? 0) ? 'added' : 'head-missing');
	const behind = await verifyLinks(knex, keyRing, heads);
	return behind ? broken(behind.brokenAt, behind.reason) : { isWhole: true, entries };
}

/**
 * Finds an entry that no daemon has added, among those after the ends that were read at the start. If an end has moved
 * since then, a daemon has added the entries of its lane in the regular way; likewise if the lane is new.
 */
async function findAdded(beyond: ReadonlyMap<number, AuditRow>, lanes: ReadonlyMap<number, HeadRow>, knex: Knex) {
	if (beyond.size === 0) return undefined;
	const now = lanesOf(await laneStore(knex).listHeads());
	const added = [...beyond].filter(([lane]) => !now.has(lane) || now.get(lane)!.seq === lanes.get(lane)?.seq);
	return added.map(([, row]) => row).sort((one, other) => one.seq - other.seq)[0];
}

/** Tells whether the last `count` entries of the trail fit each other and the ends of its lanes. No others are read. */
export async function verifyEnd(knex: Knex, keyRing: KeyRing, count: number): Promise<TrailVerdict> {
	const lanes = lanesOf(await laneStore(knex).listHeads());
	const end = Math.max(0, ...Array.from(lanes.values(), ({ seq }) => seq));
	const broken = (brokenAt: number, reason: TrailBreak): TrailVerdict => {
		return { isWhole: false, entries: end, brokenAt, reason };
	};
	const head = lanes.get(0);
	if (!head) return broken(1, 'head-missing');
	for (const each of lanes.values()) if (!(await isSigned(each, keyRing))) return broken(each.seq, 'head-altered');
	const first = Math.max(0, end - count);
	const read = await auditStore(knex).listAfter(Math.max(0, first - 1), count + 1);
	const rows = read.filter(({ seq, lane }) => seq <= (lanes.get(lane ?? 0)?.seq ?? 0));
	// The first row of a lane that is read only provides the hash that its second row must name. If the rows begin with the
	// very first entry of the trail, that entry is compared with the constant `ORIGIN_HASH` instead.
	const ends = new Map<number, LastEntry>(first === 0 ? Array.from(lanes.keys(), (lane) => [lane, NO_ENTRY]) : []);
	if (first > 0 && rows.length === 0) return broken(first, 'missing');
	for (const row of rows) {
		const last = ends.get(row.lane ?? 0);
		const reason = last && (await findBreak(row, last, keyRing));
		if (reason) return broken(isGap(row, reason) ? last.seq + 1 : row.seq, reason);
		ends.set(row.lane ?? 0, row);
	}
	for (const [lane, { seq, hash }] of lanes) {
		const last = ends.get(lane);
		// The lane has grown no more since before the entries that were read.
		if (!last && seq < first) continue;
		if (!last || last.seq < seq) return broken((last?.seq ?? first) + 1, 'cut');
		if (last.hash !== hash) return broken(seq, 'head-altered');
	}
	return { isWhole: true, entries: end };
}

async function isSigned(head: HeadRow, keyRing: KeyRing): Promise<boolean> {
	const key = await findAuditKey(keyRing, head.key_id);
	return key !== undefined && signatureOf({ ...head, lane: laneOfRow(head.id) }, key) === head.signature;
}

/** Tells whether a break is before the entry: in a trail of one lane, where no number is left out. */
function isGap(row: AuditRow, reason: TrailBreak): boolean {
	return reason === 'missing' && row.lane === null;
}

async function findBreak(row: AuditRow, last: LastEntry, keyRing: KeyRing): Promise<TrailBreak | undefined> {
	const key = await findAuditKey(keyRing, row.key_id);
	if (!key) return 'altered';
	if (row.lane === null && row.seq !== last.seq + 1) return 'missing';
	if (hashOf(row, key) !== row.hash) return 'altered';
	if (row.action === 'audit.restart') return 'restarted';
	if (row.previous_hash !== last.hash) return row.lane === null ? 'reordered' : 'missing';
	return undefined;
}
