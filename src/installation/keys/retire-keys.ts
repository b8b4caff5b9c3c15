// Destroys superseded keys that are no longer needed, and reports what the remaining superseded keys are still needed
// for.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { KeyRow } from '../../base/keys/key-store.ts';
import type { Audit } from '../../trail/audit.ts';
import { countSealed, UNITS } from './key-counts.ts';

/**
 * A superseded key is kept for this long. Another process may still take it for the current key for some seconds, and
 * go on using it for as long as it tokenizes a file. Stored answers, results of payments and idempotency keys are
 * looked up under former `credential` keys for a day.
 */
const KEPT_FOR_MS = 48 * 3_600_000;

const REASONS: Readonly<Record<string, (count: number) => string>> = {
	credential: (count) =>
		`${count} API keys that work have not been used since, or card requests are open: revoke or cancel them, or keep it`,
	token: (count) => `${count} pages have tokens that it made, and it alone reads them`,
	audit: (count) => `${count} entries of the audit trail are verified by it`,
};

/**
 * Checks all superseded keys, or the one with the given id, and destroys those that are not needed. Each destroyed key
 * has an entry in the trail.
 */
export async function retireKeys(
	parts: { database: Database; keyRing: KeyRing; audit: Audit; actor: string; blobs: BlobStore },
	{ id, now }: { readonly id?: number; readonly now: number },
) {
	const { keyRing, audit, actor } = parts;
	const superseded = (await keyRing.list()).filter(
		(row) => row.state === 'superseded' && row.purpose in UNITS && (id === undefined || row.id === id),
	);
	if (superseded.length === 0) return [];
	const counts = await countSealed(parts);
	return Array.fromAsync(superseded, async (row) => {
		const holds = counts.get(row.id) ?? 0;
		const reason = findNeed(row, holds, now);
		const { purpose, generation } = row;
		if (reason !== undefined) return { id: row.id, purpose, generation, outcome: 'kept', holds, reason };
		const subject = row.account_id === 0 ? 'installation' : `account id ${row.account_id}`;
		const account = row.account_id === 0 ? undefined : { within: row.account_id as AccountId };
		const details = { purpose, generation, key: row.id };
		await keyRing.destroy(row.id as KeyId, (transaction) =>
			audit.record({ actor, action: 'key.retire', subject, account, details }, transaction),
		);
		return { id: row.id, purpose, generation, outcome: 'retired', holds: null, reason: null };
	});
}

function findNeed(row: Omit<KeyRow, 'wrapped'>, holds: number, now: number): string | undefined {
	if (row.purpose === 'environment') return 'lines in the file of heads of the audit trail are sealed under it';
	const until = (row.superseded_at ?? now) + KEPT_FOR_MS;
	if (holds > 0)
		return REASONS[row.purpose]?.(holds) ?? `${holds} ${UNITS[row.purpose as never]} are under it: run \`key sweep\``;
	return until > now ? `a process may still use it until ${new Date(until).toISOString()}` : undefined;
}
