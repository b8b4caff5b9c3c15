import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { AuditRow } from '../audit-store.ts';
import { hashOf, ORIGIN_HASH } from '../chain.ts';
import { type ExportedRange, endSchema, entrySchema, rowOf, sealOfRange } from './exported-form.ts';
import { findAuditKey } from './verify-trail.ts';

/**
 * Tells how an export is broken. `unreadable`: a line is not from an export. `altered`: it does not match its hash.
 * `reordered`: it does not match the line before. `missing`: a number is skipped. `cut`: the line that ends an export
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
	let end: ExportedRange | undefined;
	let line = 0;
	let entries = 0;
	const broken = (reason: ExportBreak): ExportVerdict => ({ isWhole: false, entries, line, reason });
	for await (const text of lines) {
		line += 1;
		if (end) return broken('added');
		const content = parse(text);
		end = endSchema.safeParse(content).data?.export;
		if (end) continue;
		const entry = entrySchema.safeParse(content).data;
		if (!entry) return broken('unreadable');
		const row = rowOf(entry);
		if (last ? row.seq !== last.seq + 1 : (row.seq === 1) !== (row.previous_hash === ORIGIN_HASH))
			return broken('missing');
		if (keyRing && !(await isProven(row, keyRing))) return broken('altered');
		if (last && row.previous_hash !== last.hash) return broken('reordered');
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

async function isProven({ previous_hash: previousHash, key_id: keyId, hash, ...row }: AuditRow, keyRing: KeyRing) {
	const key = await findAuditKey(keyRing, keyId);
	return key !== undefined && hashOf({ ...row, previousHash, keyId }, key) === hash;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
