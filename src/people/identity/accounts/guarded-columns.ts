// Lists the columns that are read to check seals. Every request reads only the seals, which show whether the rows were
// checked a moment ago. If they were not, all columns that the seals cover are read.

import type { RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { CredentialKind, GuardedRows, SealedColumns } from '../credentials/credential-guard.ts';
import { sealedAccounts, sealedApiKeys, sealedSessionTokens, sealedSshKeys } from '../sealed-rows.ts';

export const ACCOUNT_SEALS = ['account.seal as a__seal', 'owner.seal as o__seal'];
export const API_KEY_SEAL = ['api_keys.account_id as c__account_id', 'api_keys.seal as c__seal'];
export const SESSION_SEAL = 'session_tokens.seal as s__seal';
export const GUARDED_SESSION = columnsOf(sealedSessionTokens, 'session_tokens', 's__');

const credentialShapes = { 'api-key': sealedApiKeys, 'ssh-key': sealedSshKeys };

/** Returns all columns that the seals of a credential, its account and the owner cover; `table` is the credential's. */
export function guardedColumns(kind: CredentialKind, table: string): string[] {
	return [
		...columnsOf(credentialShapes[kind], table, 'c__'),
		...columnsOf(sealedAccounts, 'account', 'a__'),
		...columnsOf(sealedAccounts, 'owner', 'o__'),
	];
}

/** Splits a joined row of a credential or session token into the rows of its tables. */
export function guardedRows(kind: CredentialKind, row: SealedColumns): GuardedRows {
	return {
		credential: rowOf(credentialShapes[kind], row, 'c__'),
		account: rowOf(sealedAccounts, row, 'a__'),
		owner: rowOf(sealedAccounts, row, 'o__'),
		...(row.s__hash !== undefined && { session: rowOf(sealedSessionTokens, row, 's__') }),
	};
}

/** Returns the columns of a table for a `select` that joins several: each gets a prefix, so that names are unique. */
function columnsOf(shape: RowShape, table: string, prefix: string): string[] {
	return namesOf(shape).map((name) => `${table}.${name} as ${prefix}${name}`);
}

function rowOf(shape: RowShape, row: SealedColumns, prefix: string): SealedColumns {
	return Object.fromEntries(namesOf(shape).map((name) => [name, row[prefix + name]]));
}

function namesOf({ id, columns }: RowShape): string[] {
	return [...id, ...columns, 'seal_key', 'seal'];
}
