import type { Knex } from 'knex';
import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import type { Clock } from '../../../base/clock.ts';
import { isUniqueViolation, transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { ListPage } from '../../../base/database/list-page.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { RowSealer, RowSeals } from '../../../base/keys/rows/row-seals.ts';
import { recordEvents } from '../../../base/outbox/record-events.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import { sealedAccounts } from '../sealed-rows.ts';
import { type AccountKind, type AccountRow, accountStore } from './account-store.ts';
import { lockedEvent } from './allowance.ts';
import { parseUserId } from './user-id.ts';

export type Account = ReturnType<typeof accountOf>;

export interface NewAccount {
	readonly userId: string;
	readonly kind?: AccountKind;
	/** The user ID of the primary account above it, required for a sub-user or property and refused otherwise. */
	readonly parent?: string;
	readonly cvvRetention?: boolean;
	/**
	 * The units that the account may use; null means no limit. If it is absent, a primary account gets the
	 * installation's default, and a sub-user or property uses the allowance of its parent.
	 */
	readonly allowanceLimit?: number | null;
}

/** Holds a transaction that the caller has begun, and the sealer for the rows that are written in it. */
export interface SealedTransaction {
	readonly transaction: Knex.Transaction;
	readonly sealer: RowSealer;
}

export type Accounts = ReturnType<typeof openAccounts>;

export function openAccounts(options: {
	database: Database;
	audit: Audit;
	clock: Clock;
	seals: RowSeals;
	/** The allowance that a new primary account gets if none is given for it; null or absent means no limit. */
	allowanceUnits?: number | null;
}) {
	const { database, audit, clock, seals, allowanceUnits = null } = options;
	const store = accountStore(database.knex);

	/** A row that was tampered with is treated as missing; see `RowSeals.onBroken`. */
	const findGood = async (read: () => Promise<AccountRow | undefined>): Promise<Account | undefined> => {
		const row = await seals.find(sealedAccounts, read);
		return row && accountOf(row);
	};

	const judged = async (read: () => Promise<AccountRow[]>) =>
		(await seals.judge(sealedAccounts, read)).map(({ row, isBroken }) => accountOf(row, isBroken));

	const accounts = {
		/**
		 * Creates an account, in the transaction `within` if one is given. The audit trail names `actor` as the one who did
		 * it.
		 * @throws ServiceError if the user ID is already used, or the parent is not an existing primary account
		 */
		async create(account: NewAccount, actor: Actor, outer?: SealedTransaction): Promise<Account> {
			const now = clock.now().getTime();
			const row = { ...newRow(account, allowanceUnits), created_at: now, generation: now };
			const insert = async ({ transaction, sealer }: SealedTransaction) => {
				const parent_id = await findParentId(accountStore(transaction), row.kind, account.parent);
				const inserted = await accountStore(transaction).insert({ ...row, parent_id });
				await accountStore(transaction).putSeal(inserted.id, sealer.seal(sealedAccounts, inserted));
				const details = { kind: row.kind, parent: account.parent ?? null, cvvRetention: Boolean(row.cvv_retention) };
				const subject = `account ${row.user_id}`;
				await audit.record({ actor, action: 'account.create', subject, details }, transaction);
				return accountOf(inserted);
			};
			try {
				if (outer) return await insert(outer);
				return await seals.transact(database, (transaction, sealer) => insert({ transaction, sealer }));
			} catch (cause) {
				if (!isUniqueViolation(cause)) throw cause;
				throw badInput('userId', 'an account with this user ID exists already', told('already-there'), cause);
			}
		},
		/** Returns accounts, oldest first, broken ones among them. */
		async list({ limit = 1_000, offset = 0 }: { limit?: number; offset?: number } = {}): Promise<Account[]> {
			return judged(() => store.list(limit, offset));
		},
		/** Returns a page of the sub-users and properties of an account, by their user IDs; broken ones are among them. */
		async listChildren(parentId: AccountId, page: ListPage<string>): Promise<Account[]> {
			return judged(() => store.listChildren(database.dialect, parentId, page));
		},
		/** Counts the sub-users and properties of an account, up to `most`. */
		countChildren: (parentId: AccountId, most: number): Promise<number> => store.countChildren(parentId, most),
		async find(userId: string): Promise<Account | undefined> {
			// The name is not looked up if it contains a card number, because no user ID contains one and the database may
			// log the text of a query.
			if (holdsCardNumber(userId)) return undefined;
			return findGood(() => store.findByUserId(userId));
		},
		async findById(id: AccountId): Promise<Account | undefined> {
			return findGood(() => store.findById(id));
		},
		/** @throws ServiceError if there is none */
		async get(userId: string): Promise<Account> {
			const account = await accounts.find(userId);
			if (!account) throw badInput('userId', 'no such account');
			return account;
		},
		/** Turns ids of accounts into user IDs; ids that do not exist are left out. */
		async userIdsOf(ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, string>> {
			return ids.length === 0 ? new Map() : store.userIdsOf(ids);
		},
		/** Blocks an account: billable calls fail from then on, and logins still work. */
		async block(userId: string, actor: Actor): Promise<Account> {
			const { id } = await accounts.get(userId);
			await transact(database, async (transaction) => {
				const now = clock.now().getTime();
				if (!(await accountStore(transaction).block(id, now))) return;
				await recordEvents(transaction, [lockedEvent(id, 'operator')], now);
				await audit.record({ actor, action: 'account.block', subject: `account ${userId}` }, transaction);
			});
			return accounts.get(userId);
		},
		/** Lifts the block of an account and grants a fresh allowance. */
		async unblock(userId: string, actor: Actor): Promise<Account> {
			const { id } = await accounts.get(userId);
			await transact(database, async (transaction) => {
				await accountStore(transaction).unblock(id);
				await audit.record({ actor, action: 'account.unblock', subject: `account ${userId}` }, transaction);
			});
			return accounts.get(userId);
		},
		/**
		 * Sets the days after which cards of a primary account are removed; null keeps them.
		 * @throws ServiceError for any other kind of account
		 */
		async setCardsRetention(userId: string, days: number | null, actor: Actor): Promise<Account> {
			const { id, kind } = await accounts.get(userId);
			if (kind !== 'primary') throw badInput('userId', 'expected a primary account, because cards belong to it');
			await transact(database, async (transaction) => {
				await accountStore(transaction).setCardsRetention(id, days);
				const entry = { actor, action: 'account.cards-retention', subject: `account ${userId}`, details: { days } };
				await audit.record(entry, transaction);
			});
			return accounts.get(userId);
		},
	};
	return accounts;
}

function newRow(
	account: NewAccount,
	allowanceUnits: number | null,
): Omit<
	AccountRow,
	'id' | 'parent_id' | 'created_at' | 'generation' | 'cards_retention_days' | 'cards_retired' | 'seal_key' | 'seal'
> {
	const { userId, kind = 'primary', parent, cvvRetention = false } = account;
	const { allowanceLimit = kind === 'primary' ? allowanceUnits : null } = account;
	if (kind === 'primary' && parent !== undefined) throw badInput('parent', 'a primary account has none');
	if (kind !== 'primary' && parent === undefined)
		throw badInput('parent', `a ${kind} needs the user ID of a primary account`);
	if (kind !== 'primary' && account.allowanceLimit !== undefined)
		throw badInput('allowance', `a ${kind} uses the allowance of its parent`);
	if (allowanceLimit !== null && !(Number.isSafeInteger(allowanceLimit) && allowanceLimit >= 0))
		throw badInput('allowance', 'expected a whole number');
	return {
		user_id: parseUserId(userId, parent),
		kind,
		cvv_retention: cvvRetention,
		allowance_limit: allowanceLimit,
		allowance_used: 0,
		blocked_at: null,
		disabled_at: null,
	};
}

async function findParentId(
	store: ReturnType<typeof accountStore>,
	kind: AccountKind,
	parentUserId: string | undefined,
): Promise<AccountId | null> {
	if (kind === 'primary') return null;
	const parent = await store.findByUserId(parentUserId!);
	if (parent?.kind === 'primary') return parent.id;
	throw badInput('parent', 'expected the user ID of a primary account');
}

function accountOf(row: AccountRow, isBroken = false) {
	return {
		id: row.id,
		userId: row.user_id,
		kind: row.kind,
		/** The id of the parent; null only for a primary account. */
		parentId: row.parent_id,
		cvvRetention: Boolean(row.cvv_retention),
		/** The units that the account may use; null means no limit. Only the value of a primary account takes effect. */
		allowanceLimit: row.allowance_limit,
		allowanceUsed: row.allowance_used,
		blockedAt: row.blocked_at === null ? null : new Date(row.blocked_at),
		/** The time when the account was disabled, so that none of its credentials works; null if it is not disabled. */
		disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at),
		createdAt: new Date(row.created_at),
		/** Cards are removed after so many days, or kept if it is null. Only the value of a primary account counts. */
		cardsRetentionDays: row.cards_retention_days,
		/** The number of cards that were removed because of their age. */
		cardsRetired: row.cards_retired,
		/** True if somebody has changed the row or put it back, so that nobody can use the account. Only lists have such rows. */
		isBroken,
	};
}
