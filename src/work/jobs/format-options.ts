// Manages the default options of an account's files, by filter. They are checked when they are set and merged when a job
// starts, so that a change applies to every file not begun yet.

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import { perDatabase, shared } from '../../base/database/gather.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { MessageOptions } from '../../base/openpgp/message-options.ts';
import { isTree, overlay, type Tree } from '../../base/settings/layers.ts';
import type { Direction } from '../../engine/format.ts';
import { parseMessageOptions } from '../../engine/options.ts';
import { type FormatOptionsRow, formatOptionsStore, sealedFormatOptions } from './format-options-store.ts';
import { lockNames } from './queue/name-lock-store.ts';

/** The filter value under which options for all filters of an account are stored. */
export const ANY_FILTER = '*';

export interface OptionScope {
	readonly accountId: AccountId;
	readonly filter: string;
}

/** Reads the stored options of an account and a folder. Jobs that begin at the same moment share one query. */
const rowsFor = perDatabase(({ knex }: Pick<Database, 'knex'>) =>
	shared(
		({ accountId, filter }: OptionScope) => formatOptionsStore(knex).findAll(accountId, [ANY_FILTER, filter]),
		({ accountId, filter }) => `${accountId}/${filter}`,
	),
);

/**
 * Merges the options of the account, the folder and the job; the later one in this order wins. The engine still has to
 * check them.
 * @throws ServiceError for stored options that do not match their seal
 */
export async function mergedOptions(
	{ database, keyRing }: { database: Database; keyRing: Pick<KeyRing, 'seals'> },
	scope: OptionScope,
	own: string | null = null,
	/** Options that replace the stored ones of a filter, or of all filters (`ANY_FILTER`). */
	instead?: { readonly filter: string; readonly options: unknown },
): Promise<Tree> {
	const rows = await keyRing.seals.withSealer(async (sealer) => {
		const found = await rowsFor(database)(scope);
		for (const row of found) if (!sealer.isIntact(sealedFormatOptions, row)) throw alteredOptions(row.filter);
		return found;
	});
	const texts = [ANY_FILTER, scope.filter].map((filter) => {
		if (filter === instead?.filter) return JSON.stringify(instead.options);
		return rows.find((row) => row.filter === filter)?.options;
	});
	return [...texts, own]
		.filter((text) => typeof text === 'string')
		.map((text) => JSON.parse(text) as Tree)
		.reduce(overlay, {});
}

/**
 * Returns the error for options that do not match their seal. Options that an operator sets always match it, so these
 * were altered in the database.
 */
function alteredOptions(filter: string): ServiceError {
	const whose = filter === ANY_FILTER ? 'all folders of the account' : `folder ${filter}`;
	return new ServiceError('row-altered', {
		told: told('options-altered', { filter }),
		moreInfo:
			`the options of ${whose} are not what an operator has set: they are to be looked at with \`tokendrop format-options ` +
			`show --filter '${filter}'\` and put or removed; then retry`,
	});
}

/**
 * Returns the options that override those of the folder because of the user's permissions. Without the permission
 * `EliminateDuplicates`, duplicates are not eliminated, because the resulting tokens show which numbers are known.
 */
export function ownOptionsOf(
	{ permissions }: { readonly permissions: { has(permission: 'EliminateDuplicates'): boolean } },
	direction: Direction,
): Tree | undefined {
	return direction === 'detokenize' || permissions.has('EliminateDuplicates')
		? undefined
		: { eliminateCardDuplication: false };
}

/**
 * Returns the account to which options give the cards of files. They are a standing order: whoever sets another account than
 * there was needs the permission to give cards away, and whoever brings a file does not.
 */
export function merchantOf(options: unknown): unknown {
	return (options as { readonly merchantId?: unknown } | undefined)?.merchantId;
}

/**
 * Returns how the file of a job is decrypted and encrypted. What a route does with its files stands in its document alone,
 * because it may have other partners than the folders of its account.
 * @throws OptionsError
 */
export function messageOptionsOf(
	{ route_id, options }: { readonly route_id: string | null; readonly options: string | null },
	merged: Tree,
): MessageOptions {
	const { pgp } = route_id === null ? merged : (JSON.parse(options ?? '{}') as Tree);
	return parseMessageOptions(pgp);
}

/** Returns the options of the report: `hasCsv` for writing it also as CSV, and `hasAll` for an entry for every card. */
export function reportOptions({ report }: Tree): { readonly hasCsv: boolean; readonly hasAll: boolean } {
	return { hasCsv: isTree(report) && report.csv === true, hasAll: isTree(report) && report.cards === 'all' };
}

export type FoundOptions = NonNullable<Awaited<ReturnType<typeof findFormatOptions>>>;

/** Returns the stored options for a filter of an account, or under `ANY_FILTER` for all of its filters. */
export async function findFormatOptions(
	{ database, keyRing }: { database: Database; keyRing: Pick<KeyRing, 'seals'> },
	accountId: AccountId,
	filter: string,
) {
	return keyRing.seals.withSealer(async (sealer) => {
		const row = await formatOptionsStore(database.knex).find(accountId, filter);
		if (!row) return undefined;
		/** False if the row does not match its seal; no file is then processed with it. */
		const isIntact = sealer.isIntact(sealedFormatOptions, row);
		const updatedAt = new Date(row.updated_at).toISOString();
		return { options: JSON.parse(row.options) as Tree, version: versionOf(row), updatedAt, isIntact };
	});
}

/** Work of the caller that runs in the same transaction as a change of options. It may query only that transaction. */
export type Alongside = (transaction: Knex.Transaction) => Promise<void>;

/** This error means that somebody else has changed the options in the meantime. */
export class OptionsChangedError extends Error {
	override readonly name = 'OptionsChangedError';
}

/** Stands for the version of options that nobody has set. */
export const NO_VERSION = 'none';

function versionOf({ updated_at, options }: Pick<FormatOptionsRow, 'updated_at' | 'options'>): string {
	return `${updated_at}-${createHash('sha256').update(options).digest('hex').slice(0, 16)}`;
}

/**
 * Checks that the options still have the version that the caller has read.
 * @throws OptionsChangedError if they have another one
 */
async function checkVersion(
	{ transaction, dialect }: { readonly transaction: Knex.Transaction; readonly dialect: Dialect },
	{ accountId, filter }: { readonly accountId: AccountId; readonly filter: string },
	expected: string | undefined,
): Promise<void> {
	if (expected === undefined) return;
	// Locking the name `/options` makes changes of these options wait for each other. Uploads and ending jobs do not
	// wait for it, because they lock file names, and no file name contains a slash.
	await lockNames(transaction, dialect, [{ account_id: accountId, filter, name: '/options' }]);
	const row = await formatOptionsStore(transaction).find(accountId, filter);
	if ((row ? versionOf(row) : NO_VERSION) !== expected) throw new OptionsChangedError();
}

/**
 * Replaces the options of an account for a filter. `validate` throws if they are not valid for the filter.
 * @throws OptionsChangedError if a version is given, and the options are not those of that version any more
 */
export async function putFormatOptions(
	{ database, keyRing }: { database: Database; keyRing: Pick<KeyRing, 'seals'> },
	scope: OptionScope,
	options: unknown,
	validate: (filter: string, options: unknown) => unknown,
	alongside?: Alongside,
	expectedVersion?: string,
): Promise<void> {
	validate(scope.filter, options);
	const text = JSON.stringify(options ?? {});
	const row = { account_id: scope.accountId, filter: scope.filter, options: text, updated_at: Date.now() };
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		await checkVersion({ transaction, dialect: database.dialect }, scope, expectedVersion);
		await formatOptionsStore(transaction).put(await sealer.renew(transaction, sealedFormatOptions, row));
		await alongside?.(transaction);
	});
}

/**
 * Removes the options of an account for a filter; returns whether there were any. `alongside` runs in the same
 * transaction, but only if there were options.
 */
export async function removeFormatOptions(
	{ database, keyRing }: { database: Database; keyRing: Pick<KeyRing, 'seals'> },
	accountId: AccountId,
	filter: string,
	alongside?: Alongside,
	expectedVersion?: string,
): Promise<boolean> {
	return keyRing.seals.transact(database, async (transaction, sealer) => {
		await checkVersion({ transaction, dialect: database.dialect }, { accountId, filter }, expectedVersion);
		const removed = await formatOptionsStore(transaction).remove(accountId, filter);
		if (!removed) return false;
		await sealer.end(transaction, sealedFormatOptions, removed);
		await alongside?.(transaction);
		return true;
	});
}
