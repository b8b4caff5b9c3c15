// Defines the content of an export's lines, and how the last line seals them. Every line has everything that its hash
// covers, so that a person with the keys can verify it without the trail. The last line seals the range, so that
// missing lines are noticed too.

import { createHmac, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { AuditRow } from '../audit-store.ts';
import type { AuditDetails } from '../entry.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const entrySchema = z.strictObject({
	seq: z.int().min(1),
	at: z.iso.datetime(),
	actor: z.string(),
	action: z.string(),
	subject: z.string(),
	// The details are taken as they are. zod's schema for records would drop some of their keys, and the hash would no
	// longer match.
	details: z.custom<AuditDetails>((value) => typeof value === 'object' && value !== null),
	// The numbers of the primary accounts that the entry is about and by; absent if there is none.
	account: z.int().optional(),
	byAccount: z.int().optional(),
	// The page of the vault that has the card of the subject; absent if the entry does not name it.
	page: z.int().optional(),
	// The lane in which the entry was written; absent in a trail of one lane.
	lane: z.int().min(0).optional(),
	previousHash: hash,
	hash,
	keyId: z.int(),
});
export type ExportedEntry = z.infer<typeof entrySchema>;

const rangeSchema = z.strictObject({
	first: z.int().min(1),
	last: z.int().min(1),
	entries: z.int().min(1),
	keyId: z.int(),
	seal: hash,
});
export const endSchema = z.strictObject({ export: rangeSchema });
export type ExportedRange = z.infer<typeof rangeSchema>;

export function exportedForm(row: AuditRow): ExportedEntry {
	const { seq, at, actor, action, subject, details, previous_hash: previousHash, key_id: keyId } = row;
	const parsed = JSON.parse(details) as ExportedEntry['details'];
	const { account_id: account, by_account_id: byAccount, page_id: page, lane } = row;
	return {
		seq,
		at: new Date(at).toISOString(),
		actor,
		action,
		subject,
		details: parsed,
		...(account !== null && { account }),
		...(byAccount !== null && { byAccount }),
		...(page !== null && { page }),
		...(lane !== null && { lane }),
		previousHash,
		hash: row.hash,
		keyId,
	};
}

/**
 * Returns the row of the trail from which a line of an export was created. Details were stored as `JSON.stringify`
 * writes them, so this restores their exact text.
 */
export function rowOf(exported: ExportedEntry): AuditRow {
	const { at, details, account, byAccount, page, lane, previousHash, keyId, ...entry } = exported;
	const stored = { at: Date.parse(at), details: JSON.stringify(details), key_id: keyId as KeyId };
	const accounts = { account_id: (account ?? null) as AccountId | null, by_account_id: (byAccount ?? null) as never };
	const place = { page_id: page ?? null, lane: lane ?? null };
	return { ...entry, ...stored, ...accounts, ...place, previous_hash: previousHash };
}

/**
 * Returns the seal of an exported range. It uses the key of the last entry, which is kept as long as that entry can be
 * verified.
 */
export function sealOfRange(
	range: Omit<ExportedRange, 'seal'>,
	ends: { readonly previousHash: string; readonly hash: string },
	key: KeyObject,
): string {
	const { first, last, entries, keyId } = range;
	const parts = ['export', first, last, entries, keyId, ends.previousHash, ends.hash];
	return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
