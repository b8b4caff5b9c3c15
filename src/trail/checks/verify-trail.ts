import type { Knex } from 'knex';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type AuditRow, auditStore, type HeadRow } from '../audit-store.ts';
import { hashOf, ORIGIN_HASH, signatureOf } from '../chain.ts';

/**
 * Tells how the trail is broken. `altered`: an entry's content does not match its hash. `reordered`: it matches its own
 * hash but not the entry before it. `missing`: a number is skipped. `cut`: the trail ends earlier than its head says.
 * `added`: the trail continues after its head. `head-missing`, `head-altered`: the row that says where the trail ends
 * is missing or altered. `restarted`: the head was gone when a daemon started, so entries before this one may be gone
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
	| 'unfounded';

export type TrailVerdict =
	| { readonly isWhole: true; readonly entries: number }
	| { readonly isWhole: false; readonly entries: number; readonly brokenAt: number; readonly reason: TrailBreak };

const BATCH_ROWS = 1_000;
/** Trails that are older than the action `installation.create` have this action in their first entry. */
const OLD_FIRST_ACTION = 'audit.start';

/**
 * Verifies the trail up to its head at the start; entries written meanwhile are left to the next run. It cannot notice
 * an older head that was put back together with the entries of its time, but `compareHeads` can.
 */
export async function verifyTrail(knex: Knex, keyRing: KeyRing): Promise<TrailVerdict> {
	const store = auditStore(knex);
	const head = await store.findHead();
	let last: Pick<AuditRow, 'seq' | 'hash'> = { seq: 0, hash: ORIGIN_HASH };
	const broken = (brokenAt: number, reason: TrailBreak): TrailVerdict => ({
		isWhole: false,
		entries: last.seq,
		brokenAt,
		reason,
	});
	if (!head) return broken(1, 'head-missing');
	if (!(await isSigned(head, keyRing))) return broken(head.seq, 'head-altered');

	let canAdopt = false;
	while (last.seq < head.seq) {
		const rows = await store.listAfter(last.seq, BATCH_ROWS);
		if (rows.length === 0) return broken(last.seq + 1, 'cut');
		for (const row of rows) {
			if (row.seq > head.seq) return broken(last.seq + 1, last.seq < head.seq ? 'cut' : 'added');
			const reason = await findBreak(row, last, keyRing);
			if (reason) return broken(reason === 'missing' ? last.seq + 1 : row.seq, reason);
			if (row.seq === 1 && row.action !== 'installation.create' && row.action !== OLD_FIRST_ACTION) {
				return broken(row.seq, 'unfounded');
			}
			if (row.seq === 1) canAdopt = row.action === OLD_FIRST_ACTION;
			if (row.action === 'installation.adopt') {
				if (!canAdopt) return broken(row.seq, 'unfounded');
				canAdopt = false;
			}
			last = row;
			if (last.seq === head.seq) break;
		}
	}
	if (last.hash !== head.hash) return broken(head.seq, 'head-altered');
	const rest = await store.listAfter(head.seq, 1);
	// There are entries after the head that was read at the start. If the head has moved since then, a daemon has added
	// them in the regular way. If it has not moved, no daemon has added them.
	if (rest.length > 0 && (await store.findHead())?.seq === head.seq) return broken(rest[0].seq, 'added');
	return { isWhole: true, entries: head.seq };
}

/** Tells whether the last `count` entries of the trail fit each other and its head. No other entries are read. */
export async function verifyEnd(knex: Knex, keyRing: KeyRing, count: number): Promise<TrailVerdict> {
	const store = auditStore(knex);
	const head = await store.findHead();
	if (!head) return { isWhole: false, entries: 0, brokenAt: 1, reason: 'head-missing' };
	const broken = (brokenAt: number, reason: TrailBreak): TrailVerdict => {
		return { isWhole: false, entries: head.seq, brokenAt, reason };
	};
	if (!(await isSigned(head, keyRing))) return broken(head.seq, 'head-altered');
	const first = Math.max(0, head.seq - count);
	const rows = (await store.listAfter(Math.max(0, first - 1), count + 1)).filter(({ seq }) => seq <= head.seq);
	// The first row that is read only provides the hash that the second row must name. If the rows begin with the very
	// first entry of the trail, that entry is compared with the constant `ORIGIN_HASH` instead.
	let last: Pick<AuditRow, 'seq' | 'hash'> | undefined = first === 0 ? { seq: 0, hash: ORIGIN_HASH } : rows.shift();
	if (!last) return broken(first, 'missing');
	for (const row of rows) {
		const reason = await findBreak(row, last, keyRing);
		if (reason) return broken(reason === 'missing' ? last.seq + 1 : row.seq, reason);
		last = row;
	}
	if (last.seq < head.seq) return broken(last.seq + 1, 'cut');
	return last.hash === head.hash ? { isWhole: true, entries: head.seq } : broken(head.seq, 'head-altered');
}

async function isSigned(head: HeadRow, keyRing: KeyRing): Promise<boolean> {
	const key = await findAuditKey(keyRing, head.key_id);
	return (
		key !== undefined && signatureOf({ seq: head.seq, hash: head.hash, keyId: head.key_id }, key) === head.signature
	);
}

async function findBreak(
	row: AuditRow,
	last: Pick<AuditRow, 'seq' | 'hash'>,
	keyRing: KeyRing,
): Promise<TrailBreak | undefined> {
	const key = await findAuditKey(keyRing, row.key_id);
	if (!key) return 'altered';
	const { previous_hash: previousHash, key_id: keyId, ...content } = row;
	const fits = hashOf({ ...content, previousHash, keyId }, key) === row.hash;
	if (row.seq !== last.seq + 1) return 'missing';
	if (!fits) return 'altered';
	if (row.action === 'audit.restart') return 'restarted';
	if (previousHash !== last.hash) return 'reordered';
	return undefined;
}

/**
 * Returns the audit key that a row names, or undefined if it names another kind of key, which means that the row was
 * altered.
 */
export async function findAuditKey(keyRing: KeyRing, id: AuditRow['key_id']) {
	try {
		const key = await keyRing.byId(id);
		return key.purpose === 'audit' ? key.secret : undefined;
	} catch (error) {
		await keyRing.check();
		if ((error as Error).name !== 'RootKeyError') throw error;
		return undefined;
	}
}
