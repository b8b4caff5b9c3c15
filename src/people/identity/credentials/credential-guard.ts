// Checks that the rows of a credential are what we wrote: the row of the credential, of its account and of that account's
// owner must match their seals, and none of them may be an earlier version.

import type { RowSealer, RowSeals, RowVersion } from '../../../base/keys/rows/row-seals.ts';
import { sealedAccounts, sealedApiKeys, sealedSessionTokens, sealedSshKeys } from '../sealed-rows.ts';

// biome-ignore lint/suspicious/noExplicitAny: columns of several tables
export type SealedColumns = { readonly [column: string]: any };

/** The rows that a credential depends on, each with the columns that its seal covers. */
export interface GuardedRows {
	readonly credential: SealedColumns;
	readonly account: SealedColumns;
	/** The row of the parent account, which is checked if the account has one. */
	readonly owner: SealedColumns;
	readonly session?: SealedColumns;
}

export type CredentialKind = 'api-key' | 'ssh-key';

/** Returns whether all rows of a credential are valid; a row that is not is reported. */
export type IsGood = (kind: CredentialKind, rows: GuardedRows) => boolean;

export type CredentialGuard = ReturnType<typeof openCredentialGuard>;

export function openCredentialGuard(seals: RowSeals) {
	return {
		/** Updates the list of ended rows; await it before rows are read for `isCurrent`. */
		prepare: () => seals.refresh(),
		/** Runs work that reads the rows of credentials and checks them; it may run more than once. */
		check: <T>(work: (isGood: IsGood) => Promise<T>) =>
			seals.withSealer((sealer) => work((kind, rows) => isGood(sealer, kind, rows))),
		/** Tells whether the rows of a credential that was found valid earlier are still the current ones. */
		isCurrent: (versions: readonly RowVersion[]) => versions.every((version) => seals.isCurrent(version)),
	};
}

function isGood(sealer: RowSealer, kind: CredentialKind, { session, ...rows }: GuardedRows): boolean {
	if (!versionsOf(kind, rows).every(({ shape, row }) => sealer.isIntact(shape, row))) return false;
	return !session || sealer.isIntact(sealedSessionTokens, session);
}

/** Returns those rows of a credential that can end, each with its table. */
export function versionsOf(kind: CredentialKind, { credential, account, owner }: GuardedRows): RowVersion[] {
	return [
		{ shape: kind === 'api-key' ? sealedApiKeys : sealedSshKeys, row: credential },
		{ shape: sealedAccounts, row: account },
		...(account.parent_id === null ? [] : [{ shape: sealedAccounts, row: owner }]),
	];
}
