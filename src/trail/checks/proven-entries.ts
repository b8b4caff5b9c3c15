// Finds single entries of the audit trail that confirm rows of other tables. An entry is proven if its hash matches its
// content under the audit key, and if it names the hash of the entry that comes before it now. So a person who can only
// write rows can neither make an entry nor copy one to another position. A deleted entry is not found here, but
// `audit verify` reports the gap.

import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { AuditRow } from '../audit-store.ts';
import { hashOf } from '../chain.ts';
import type { AuditDetails } from '../entry.ts';
import { provenEntryStore } from './proven-entry-store.ts';

export interface ProvenEntry {
	readonly action: string;
	readonly actor: string;
	readonly subject: string;
	readonly at: number;
	readonly details: AuditDetails;
}

const RECOVERY = 'operator.recover';

/**
 * Returns the entries that added or removed operators, oldest first, or undefined if one of them is not proven. If the
 * operators were ever replaced with `operator recover`, the entries begin with the latest such one.
 */
export async function findOperatorEntries(parts: {
	database: Pick<Database, 'knex'>;
	keyRing: KeyRing;
}): Promise<ProvenEntry[] | undefined> {
	const { database, keyRing } = parts;
	const entries = await proven(await provenEntryStore(database.knex).listOfOperators(), keyRing);
	return allOf(
		entries.slice(
			Math.max(
				0,
				entries.findLastIndex((entry) => entry?.action === RECOVERY),
			),
		),
	);
}

/** Returns the entries of the trail about one approval, or undefined if one of them is not proven. */
export async function findApprovalEntries(
	{ database, keyRing }: { database: Pick<Database, 'knex'>; keyRing: KeyRing },
	subject: string,
): Promise<ProvenEntry[] | undefined> {
	return allOf(await proven(await provenEntryStore(database.knex).listOfApproval(subject), keyRing));
}

function allOf(entries: readonly (ProvenEntry | undefined)[]): ProvenEntry[] | undefined {
	return entries.includes(undefined) ? undefined : (entries as ProvenEntry[]);
}

/** Checks entries, and returns undefined in place of every one that is not proven. */
async function proven(
	rows: readonly (AuditRow & { readonly hash_before: string | null })[],
	keyRing: KeyRing,
): Promise<(ProvenEntry | undefined)[]> {
	return Array.fromAsync(rows, async (row) => {
		if (!(await isProven(row, keyRing)) || row.hash_before !== row.previous_hash) return undefined;
		const { action, actor, subject, at, details } = row;
		return { action, actor, subject, at, details: JSON.parse(details) };
	});
}

/** Tells whether the content of an entry matches its hash under the audit key that it names. */
export async function isProven(row: AuditRow, keyRing: KeyRing): Promise<boolean> {
	const key = await findAuditKey(keyRing, row.key_id);
	return key !== undefined && hashOf(row, key) === row.hash;
}

/** Returns the audit key that a row names; undefined if it names another kind of key, so that the row was altered. */
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
