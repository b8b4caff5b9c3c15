import type { KeyRing } from '../../base/keys/key-ring.ts';
import { readJson } from '../../base/read-json.ts';
import type { AuditRow } from '../audit-store.ts';
import { ORIGIN_HASH } from '../chain.ts';
import { type ExportedRange, endSchema, entrySchema, rowOf, sealOfRange } from './exported-form.ts';
import { findAuditKey, isProven } from './proven-entries.ts';

type Place = Pick<AuditRow, 'seq' | 'hash'>;

/**
 * Tells how an export is broken. `unreadable`: a line is not from an export. `altered`: it does not match its hash.
 * `reordered`: it does not match the line before. `missing`: a number is skipped, or the
 * entry before in its lane. `cut`: the line that ends an export
 * is absent, or names more entries. `added`: lines follow it.
 */
export type ExportBreak = 'unreadable' | 'altered' | 'reordered' | 'missing' | 'cut' | 'added';

export type ExportVerdict =
	| {
			readonly isWhole: true;
			readonly entries: number;
			readonly first: number;
			readonly last: number;
			readonly lastHash: string;
	  }
	| { readonly isWhole: false; readonly entries: number; readonly line: number; readonly reason: ExportBreak };

/**
 * Verifies an export by itself: every entry with the audit keys, the order with the hashes, and the ends with the seal.
 * Without keys it only checks that each line names the hash of the one before and that none is missing; the content
 * could be anything.
 */
export async function verifyExport(lines: AsyncIterable<string>, keyRing: KeyRing | undefined): Promise<ExportVerdict> {
	let begin: AuditRow | undefined;
	let last: AuditRow | undefined;
	const ends = new Map<number, Place>();
	let end: ExportedRange | undefined;
	let line = 0;
	let entries = 0;
	const broken = (reason: ExportBreak): ExportVerdict => ({ isWhole: false, entries, line, reason });
	for await (const text of lines) {
		line += 1;
		if (end) return broken('added');
		const content = readJson(text);
		end = endSchema.safeParse(content).data?.export;
		if (end) continue;
		const entry = entrySchema.safeParse(content).data;
		if (!entry) return broken('unreadable');
		const row = rowOf(entry);
		const before = ends.get(row.lane ?? 0);
		if (row.lane === null ? isSkipped(row, before) : last && row.seq <= last.seq) return broken('missing');
		if (keyRing && !(await isProven(row, keyRing))) return broken('altered');
		if (before && row.previous_hash !== before.hash) return broken(row.lane === null ? 'reordered' : 'missing');
		ends.set(row.lane ?? 0, row);
		begin ??= row;
		last = row;
		entries += 1;
	}
	if (!end || !begin || !last) return broken('cut');
	const isEnd =
		end.first === begin.seq && end.last === last.seq && end.entries === entries && end.keyId === last.key_id;
	if (!isEnd) return broken('cut');
	if (keyRing) {
		const key = await findAuditKey(keyRing, last.key_id);
		const ends = { previousHash: begin.previous_hash, hash: last.hash };
		if (!key || sealOfRange(end, ends, key) !== end.seal) return broken('altered');
	}
	return { isWhole: true, entries, first: begin.seq, last: last.seq, lastHash: last.hash };
}

/** Tells whether a number is skipped before an entry of a trail of one lane. */
function isSkipped(row: AuditRow, before: Place | undefined): boolean {
	if (before) return row.seq !== before.seq + 1;
	return (row.seq === 1) !== (row.previous_hash === ORIGIN_HASH);
}
