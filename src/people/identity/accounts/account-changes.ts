// Changes existing accounts, for operators and for managers in the portal. Each change and its entry in the trail are
// one transaction.

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { RowSealer, RowSeals } from '../../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { ApiKeys } from '../credentials/api-keys.ts';
import type { SshKeys } from '../credentials/ssh-keys.ts';
import { formatPermissions, type Permission } from '../permissions.ts';
import { sealedAccounts } from '../sealed-rows.ts';
import { type AccountRow, accountStore, type SealedChange } from './account-store.ts';
import type { Account, Accounts } from './accounts.ts';
import { deletionStore } from './deletion-store.ts';

/** Selects credentials of an account: all of them, or the one that is named. */
export interface CredentialChoice {
	readonly apiKeyId?: number;
	/** Selects one SSH key by its SHA-256 fingerprint. */
	readonly sshKey?: string;
	/** The permissions that may be added to an API key; all if absent. */
	readonly grantable?: ReadonlySet<Permission>;
}

export function openAccountChanges(options: {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly accounts: Accounts;
	readonly apiKeys: ApiKeys;
	readonly sshKeys: SshKeys;
	readonly seals: RowSeals;
}) {
	const { database, audit, clock, accounts, apiKeys, sshKeys, seals } = options;
	const now = () => clock.now().getTime();
	const change = async (
		{ userId }: Account,
		entry: { actor: Actor; action: string; details?: Record<string, string | number | boolean | null> },
		work: (transaction: Knex.Transaction, sealer: RowSealer) => Promise<unknown>,
	) => {
		await seals.transact(database, async (transaction, sealer) => {
			if ((await work(transaction, sealer)) === false) return;
			await audit.record({ ...entry, subject: `account ${userId}` }, transaction);
		});
		return accounts.get(userId);
	};
	/**
	 * Changes columns that the seal of an account covers, and makes earlier versions of its row invalid. Returns false if
	 * `change` finds nothing to change.
	 */
	const changeSealed = async (
		transaction: Knex.Transaction,
		sealer: RowSealer,
		{ id }: Account,
		change: (row: AccountRow) => SealedChange | undefined,
	): Promise<boolean> => {
		const store = accountStore(transaction);
		const row = await store.findForUpdate(id, database.dialect);
		// A row that was tampered with is not sealed again, so that it does not become valid.
		if (!row || !sealer.isIntact(sealedAccounts, row)) throw badInput('userId', 'no such account');
		const changed = change(row);
		if (!changed) return false;
		const { generation, seal_key, seal } = await sealer.renew(transaction, sealedAccounts, { ...row, ...changed });
		await store.change(id, { ...changed, generation, seal_key, seal });
		return true;
	};
	const disable = (transaction: Knex.Transaction, sealer: RowSealer, account: Account) =>
		changeSealed(transaction, sealer, account, (row) =>
			row.disabled_at === null ? { disabled_at: now() } : undefined,
		);
	return {
		/**
		 * Changes the permissions of credentials and returns how many were changed. Open sessions end if their permissions
		 * differ from the new ones.
		 */
		async setPermissions(
			account: Account,
			actor: Actor,
			permissions: ReadonlySet<Permission>,
			{ apiKeyId, sshKey, grantable }: CredentialChoice = {},
		): Promise<number> {
			const written = formatPermissions(permissions);
			const given = { accountId: account.id, permissions: written, grantable };
			let changed = 0;
			const details = { permissions: written, apiKey: apiKeyId ?? null, sshKey: sshKey ?? null };
			await change(account, { actor, action: 'account.permissions', details }, async (transaction, sealer) => {
				changed = 0;
				if (sshKey === undefined) changed += await apiKeys.permit(transaction, sealer, { ...given, only: apiKeyId });
				if (apiKeyId === undefined) changed += await sshKeys.permit(transaction, sealer, { ...given, only: sshKey });
				if (changed === 0) throw new ServiceError('bad-input-data', { moreInfo: 'the account has no such credential' });
			});
			return changed;
		},
		/**
		 * Makes every credential of the account and its sub-users invalid and ends their sessions. Accepted files are still
		 * processed.
		 */
		disable: (account: Account, actor: Actor) =>
			change(account, { actor, action: 'account.disable' }, (transaction, sealer) =>
				disable(transaction, sealer, account),
			),
		/**
		 * Enables a disabled account again, and cancels a deletion that has not begun.
		 * @throws ServiceError if the deletion has begun
		 */
		enable: (account: Account, actor: Actor) =>
			change(account, { actor, action: 'account.enable' }, async (transaction, sealer) => {
				const isWithdrawn = await deletionStore(transaction).withdraw(account.id);
				if (!isWithdrawn && (await deletionStore(transaction).find(account.id))) {
					throw badInput('userId', 'the account is being deleted');
				}
				await changeSealed(transaction, sealer, account, () => ({ disabled_at: null }));
			}),
		/**
		 * Sets the allowance of an account; null means no limit. The number of used units stays the same, and a blocked
		 * account stays blocked.
		 * @throws ServiceError for a sub-user or property
		 */
		setAllowance(account: Account, actor: Actor, limit: number | null): Promise<Account> {
			if (account.parentId !== null) {
				throw badInput('allowance', `a ${account.kind} uses the allowance of its parent`);
			}
			const details = { from: account.allowanceLimit, to: limit };
			return change(account, { actor, action: 'account.allowance', details }, (transaction) =>
				accountStore(transaction).setAllowanceLimit(account.id, limit),
			);
		},
		/** Sets whether CVVs of new cards may be kept. CVVs already kept expire as before. */
		setCvvRetention: (account: Account, actor: Actor, isOn: boolean) =>
			change(account, { actor, action: 'account.cvv-retention', details: { to: isOn } }, (transaction, sealer) =>
				changeSealed(transaction, sealer, account, () => ({ cvv_retention: isOn })),
			),
		/**
		 * Disables the account at once, and removes its data after a delay.
		 * @throws ServiceError if the deletion was already requested
		 */
		async requestDeletion(account: Account, actor: string, delayMs: number): Promise<{ readonly notBefore: Date }> {
			const at = now();
			const notBefore = new Date(at + delayMs);
			const details = { notBefore: notBefore.toISOString() };
			await change(account, { actor, action: 'account.delete', details }, async (transaction, sealer) => {
				const row = { account_id: account.id, asked_by: actor, asked_at: at, not_before: notBefore.getTime() };
				if (!(await deletionStore(transaction).insert(row))) {
					throw badInput('userId', 'the deletion was already requested');
				}
				await disable(transaction, sealer, account);
			});
			return { notBefore };
		},
	};
}
