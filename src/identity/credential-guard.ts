// Whether what was read of a credential is what was once written: the seals of its row, of its account and of the owner of
// that, and that it is no earlier row of a credential that was ended.

import type { RowSeals } from '../keys/row-seals.ts';
import type { Ended, EndedCredentials } from './ended-credentials.ts';
import type { CredentialKind } from './ended-store.ts';
import { sealedAccounts, sealedApiKeys, sealedSessionTokens, sealedSshKeys } from './sealed-rows.ts';

// biome-ignore lint/suspicious/noExplicitAny: columns of several tables
export type SealedColumns = { readonly [column: string]: any };

/** The rows that a credential stands on, each with what its seal covers. */
export interface GuardedRows {
	readonly credential: SealedColumns;
	readonly account: SealedColumns;
	/** Looked at where the account has a parent. */
	readonly owner: SealedColumns;
	readonly session?: SealedColumns;
}

export interface CredentialGuard {
	/** Brings what is known of ended credentials up to date; to be awaited before `isGood`. */
	prepare(): Promise<void> | undefined;
	/** Refuses what does not fit, which is reported. */
	isGood(kind: CredentialKind, rows: GuardedRows): Promise<boolean>;
	/** Whether a credential whose row was found good before was not ended since. */
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

/** SSH keys have no version: one that was removed never comes back. */
export function endedOf(kind: CredentialKind, { id, created_at: createdAt, version = 0 }: SealedColumns): Ended {
	return { kind, id, createdAt, version };
}
