// What an account's files of a filter use by default. Checked when put; merged when a job starts, so that a change holds
// for every file not begun yet.

import type { Knex } from 'knex';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Direction } from '../transfer/format.ts';
import { ANY_FILTER, alteredOptions } from './altered-rows.ts';
import { formatOptionsStore } from './format-options-store.ts';
import { sealedFormatOptions } from './sealed-rows.ts';

export { ANY_FILTER } from './altered-rows.ts';

/** Where options stand, and whose seals they carry. */
export interface OptionRooms {
	readonly database: Database;
	readonly keyRing: Pick<KeyRing, 'seals'>;
}

type Members = Record<string, unknown>;

/**
 * The account's options with the folder's over them and the job's over those; still to be checked by the engine.
 * @throws ServiceError for options that nobody with keys has set
 */
export async function mergedOptions(
	{ database, keyRing }: OptionRooms,
	scope: { readonly accountId: AccountId; readonly filter: string },
	own: string | null = null,
): Promise<Members> {
	const rows = await formatOptionsStore(database.knex).findAll(scope.accountId, [ANY_FILTER, scope.filter]);
	await keyRing.seals.withSealer((sealer) => {
		for (const row of rows) if (!sealer.isIntact(sealedFormatOptions, row)) throw alteredOptions(row.filter);
	});
	const texts = [ANY_FILTER, scope.filter].map((filter) => rows.find((row) => row.filter === filter)?.options);
	return [...texts, own]
		.filter((text) => typeof text === 'string')
		.map((text) => JSON.parse(text) as Members)
		.reduce(overlay, {});
}

/**
 * Options of a file alone, by who brings it: without the permission no duplicates are looked for, whatever the folder says,
 * since the tokens that come out tell which numbers are known.
 */
export function ownOptionsOf(
	{ permissions }: { readonly permissions: { has(permission: 'EliminateDuplicates'): boolean } },
	direction: Direction,
): Members | undefined {
	return direction === 'detokenize' || permissions.has('EliminateDuplicates')
		? undefined
		: { eliminateCardDuplication: false };
}

/** Members of `over` win; objects are merged, lists and everything else replaced. */
function overlay(under: Members, over: Members): Members {
	const merged = { ...under };
	for (const [name, value] of Object.entries(over)) {
		const before = merged[name];
		merged[name] = isMembers(before) && isMembers(value) ? overlay(before, value) : value;
	}
	return merged;
}

function isMembers(value: unknown): value is Members {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What merged options say of the report: whether it is wanted as CSV besides the JSON, and with an entry for every card. */
export function reportOptions({ report }: Members): { readonly hasCsv: boolean; readonly hasAll: boolean } {
	return { hasCsv: isMembers(report) && report.csv === true, hasAll: isMembers(report) && report.cards === 'all' };
}

/** What stands there for a filter of an account, or for all of them under `ANY_FILTER`. */
export interface FoundOptions {
	readonly options: Members;
	readonly updatedAt: string;
	/** False for what nobody with keys has set: no file is processed with it. */
	readonly isIntact: boolean;
}

export async function findFormatOptions(
	{ database, keyRing }: OptionRooms,
	accountId: AccountId,
	filter: string,
): Promise<FoundOptions | undefined> {
	const row = await formatOptionsStore(database.knex).find(accountId, filter);
	if (!row) return undefined;
	const isIntact = await keyRing.seals.withSealer((sealer) => sealer.isIntact(sealedFormatOptions, row));
	const updatedAt = new Date(row.updated_at).toISOString();
	return { options: JSON.parse(row.options) as Members, updatedAt, isIntact };
}

/** What stands or falls with a change; nothing but the transaction may be asked inside. */
type Alongside = (transaction: Knex.Transaction) => Promise<void>;

/** Sets options in place of those before. `validate` throws when they do not fit the filter. */
export async function putFormatOptions(
	{ database, keyRing }: OptionRooms,
	scope: { readonly accountId: AccountId; readonly filter: string },
	options: unknown,
	validate: (filter: string, options: unknown) => unknown,
	alongside?: Alongside,
): Promise<void> {
	validate(scope.filter, options);
	const text = JSON.stringify(options ?? {});
	const row = { account_id: scope.accountId, filter: scope.filter, options: text, updated_at: Date.now() };
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		await formatOptionsStore(transaction).put({ ...row, ...sealer.seal(sealedFormatOptions, row) });
		await alongside?.(transaction);
	});
}

/** Says whether there were any; only then is there something for `alongside` to stand by. */
export async function removeFormatOptions(
	database: Database,
	accountId: AccountId,
	filter: string,
	alongside?: Alongside,
): Promise<boolean> {
	return transact(database, async (transaction) => {
		const removed = await formatOptionsStore(transaction).remove(accountId, filter);
		if (removed) await alongside?.(transaction);
		return removed;
	});
}
