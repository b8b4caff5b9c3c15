// Checks that the rows of a credential are what we wrote: the seals of its row, of its account and of that account's
// owner must match, and the row must not be an earlier version of a credential that was ended.

import type { RowSeals } from '../keys/row-seals.ts';
import type { Ended, EndedCredentials } from './ended-credentials.ts';
import type { CredentialKind } from './ended-store.ts';
import { sealedAccounts, sealedApiKeys, sealedSessionTokens, sealedSshKeys } from './sealed-rows.ts';

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

export interface CredentialGuard {
	/** Updates the list of ended credentials; await it before `isGood`. */
	prepare(): Promise<void> | undefined;
	/** Returns whether all rows match their seals; a row that does not is reported. */
	isGood(kind: CredentialKind, rows: GuardedRows): Promise<boolean>;
	/** Tells whether a credential that was found valid earlier has not been ended since. */
	isAlive(ended: Ended): boolean;
}

export function openCredentialGuard({
	seals,
	ended,
}: {
	readonly seals: RowSeals;
	readonly ended: EndedCredentials;
}): CredentialGuard {
	return {
		prepare: () => ended.refresh(),
		isGood: (kind, { credential, account, owner, session }) =>
			seals.withSealer((sealer) => {
				const shape = kind === 'api-key' ? sealedApiKeys : sealedSshKeys;
				if (!sealer.isIntact(shape, credential)) return false;
				if (!sealer.isIntact(sealedAccounts, account)) return false;
				if (account.parent_id !== null && !sealer.isIntact(sealedAccounts, owner)) return false;
				if (session && !sealer.isIntact(sealedSessionTokens, session)) return false;
				if (!ended.has(endedOf(kind, credential))) return true;
				sealer.tellPutBack(shape, credential);
				return false;
			}),
		isAlive: (each) => !ended.has(each),
	};
}

/**
 * Returns the credential in the form in which ended credentials are listed. SSH keys have no version: once a key was
 * removed, its row is never valid again, whatever it contains.
 */
export function endedOf(kind: CredentialKind, { id, created_at: createdAt, version = 0 }: SealedColumns): Ended {
	return { kind, id, createdAt, version };
}
