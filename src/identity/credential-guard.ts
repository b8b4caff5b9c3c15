// Whether what was read of a credential is what was once written: the seals of its row, of its account and of the owner of
// that, and that it is no earlier row of a credential that was ended.

import type { RowSeals, RowShape } from '../keys/row-seals.ts';
import type { EndedCredentials } from './ended-credentials.ts';
import type { CredentialKind } from './ended-store.ts';
import { sealedAccounts, sealedApiKeys, sealedSessionTokens, sealedSshKeys } from './sealed-rows.ts';

/** Before the columns that the guard looks at. */
export const GUARDED = { account: 'a__', owner: 'o__', credential: 'c__', session: 's__' } as const;

// biome-ignore lint/suspicious/noExplicitAny: columns of several tables, by their prefixes
export type GuardedRow = { readonly [column: string]: any };

export interface CredentialGuard {
	/** Brings what is known of ended credentials up to date; to be awaited before `isGood`. */
	prepare(): Promise<void>;
	/** Refuses what does not fit, which is reported. */
	isGood(kind: CredentialKind, row: GuardedRow): Promise<boolean>;
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
		isGood: (kind, row) =>
			seals.withSealer((sealer) => {
				const isIntact = (shape: RowShape, prefix: string) => sealer.isIntact(shape, row, { prefix });
				const { account, owner, credential, session } = GUARDED;
				if (!isIntact(kind === 'api-key' ? sealedApiKeys : sealedSshKeys, credential)) return false;
				if (!isIntact(sealedAccounts, account)) return false;
				if (row[`${account}parent_id`] !== null && !isIntact(sealedAccounts, owner)) return false;
				if (row[`${session}hash`] !== undefined && !isIntact(sealedSessionTokens, session)) return false;
				const id = row[`${credential}id`];
				const createdAt = row[`${credential}created_at`];
				// SSH keys have no version: one that was removed never comes back.
				if (!ended.has({ kind, id, createdAt, version: row[`${credential}version`] ?? 0 })) return true;
				sealer.tellPutBack(kind === 'api-key' ? sealedApiKeys : sealedSshKeys, row, credential);
				return false;
			}),
	};
}
