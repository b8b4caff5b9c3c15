// Counts the items in tables and files that still depend on each key.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { KeyId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyPurpose, KeyRing } from '../../base/keys/key-ring.ts';
import { rowSealsStore } from '../../base/keys/rows/row-seals-store.ts';
import { sealedRowsStore } from '../../base/keys/rows/sealed-rows-store.ts';
import { apiKeyStore } from '../../people/identity/credentials/api-key-store.ts';
import { operatorStore } from '../../people/operators/operator-store.ts';
import { auditStore } from '../../trail/audit-store.ts';
import { fingerprintStore } from '../../vault/cards/fingerprint-store.ts';
import { cvvStore } from '../../vault/cvvs/cvv-store.ts';
import { pageStore } from '../../vault/pages/page-store.ts';
import { requestStore } from '../../work/cardholders/requests/request-store.ts';
import { countFilesByKey } from '../../work/drops/rewrap-files.ts';
import { sealedSecrets } from './sealed-secrets.ts';
import { sealedTables } from './sealed-tables.ts';

/** Names, for each purpose, the kind of item that depends on its keys. */
export const UNITS = {
	data: 'pages',
	cvv: 'CVVs',
	drop: 'files',
	secret: 'secrets',
	seal: 'rows',
	credential: 'API keys, tokens of operators and card requests',
	audit: 'entries',
	token: 'pages of tokens',
	fingerprint: 'fingerprints',
	environment: 'keys',
} as const satisfies Record<string, string>;

const KEY_SLACK_MS = 60_000;

export type Unit = (typeof UNITS)[keyof typeof UNITS];

/**
 * Counts the items that depend on each key; keys on which none depends are left out. A key that is wrapped by another
 * key is not counted as an item of that key; callers that need this add it.
 */
export async function countSealed(parts: {
	readonly database: Database;
	readonly keyRing: Pick<KeyRing, 'list'>;
	readonly blobs: BlobStore;
}): Promise<Map<KeyId, number>> {
	const { keyRing, blobs } = parts;
	const { knex, dialect } = parts.database;
	const counts = await countFilesByKey(blobs);
	const stores = [
		pageStore(knex, dialect),
		cvvStore(knex, dialect),
		...sealedSecrets.map((rows) => sealedRowsStore(knex, rows)),
		...sealedTables.map((shape) => rowSealsStore(knex, shape)),
		apiKeyStore(knex),
		operatorStore(knex),
		auditStore(knex),
	];
	for (const store of stores) {
		for (const { key_id, count } of await store.countByKey()) addCount(counts, key_id, count);
	}
	const keys = await keyRing.list();
	// The row of a card request has a hash of the cardholder's link, made with a `credential` key, but not the id of that
	// key. So for each superseded key, the open requests that were created before its end are counted, plus a minute in
	// which some process may still have used it.
	for (const { id, purpose, superseded_at: end } of keys) {
		if (purpose !== 'credential' || end === null) continue;
		const count = await requestStore(knex).countOpen(end + KEY_SLACK_MS);
		if (count > 0) addCount(counts, id, count);
	}
	// Tokens and fingerprints contain the generation of their key and not its id, so the counts by generation are turned
	// into counts by id.
	const ids = new Map(keys.map((row) => [`${row.purpose}/${row.account_id}/${row.generation}`, row.id]));
	const addGeneration = (purpose: KeyPurpose, account: number, { generation, count }: Made) => {
		const id = ids.get(`${purpose}/${account}/${generation}`);
		if (id !== undefined) addCount(counts, id, count);
	};
	for (const made of await pageStore(knex, dialect).countByTokenGeneration()) addGeneration('token', 0, made);
	for (const made of await fingerprintStore(knex, dialect).countByGeneration()) {
		addGeneration('fingerprint', made.account_id, made);
	}
	return counts;
}

interface Made {
	readonly generation: number;
	readonly count: number;
}

export function addCount(counts: Map<KeyId, number>, id: KeyId, count: number): void {
	counts.set(id, (counts.get(id) ?? 0) + count);
}
