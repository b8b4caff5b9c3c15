import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import type { AccountId, JobId } from '../../base/database/ids.ts';
import { countUpTo } from '../../base/database/list-page.ts';
import { insertRow, updateRow } from '../../base/database/rows.ts';
import { execute, queryRows } from '../../base/database/sql.ts';
import type { Area } from './drop-names.ts';

/**
 * Tells the state of a file. `receiving`: the upload is in progress. `partial`: the upload paused. `accepted`: an input
 * that will be or is being processed. `failed`: an input whose job failed, kept for retry under a name that says so.
 * `ready`: an output or a report.
 */
export type DropState = 'receiving' | 'partial' | 'accepted' | 'failed' | 'ready';

export interface DropFile {
	readonly id: number;
	readonly account_id: AccountId;
	readonly area: Area;
	readonly filter: string;
	readonly name: string;
	readonly blob_id: string;
	readonly size: number;
	readonly state: DropState;
	readonly created_by: string | null;
	readonly job_id: JobId | null;
	readonly writer: string | null;
	readonly held_by: string | null;
	readonly held_until: number | null;
	readonly created_at: number;
	readonly modified_at: number;
	/** When an output with CVVs is removed, however long other outputs are kept; absent for files without CVVs. */
	readonly expires_at?: number | null;
	/**
	 * The offset up to which the client has shown that its file reaches, if bytes from `size` on did not arrive; absent or
	 * null if none are known to be missing.
	 */
	readonly missing_to?: number | null;
}

export interface DropFolder {
	readonly accountId: AccountId;
	readonly area: Area;
	readonly filter: string;
}

export type NewDropFile = Omit<DropFile, 'id'>;

/** The folder and the name under which a file is or could be shown. The file need not exist. */
export type FilePlace = Pick<DropFile, 'account_id' | 'area' | 'filter' | 'name'>;

/**
 * Returns a text that identifies the place of a file. Its parts are joined by slashes, and still it is unambiguous: no
 * part but the name, which comes last, can contain a slash.
 */
export function placeOf({ account_id, area, filter, name }: FilePlace): string {
	return `${account_id}/${area}/${filter}/${name}`;
}

export function folderOf({ account_id: accountId, area, filter }: NewDropFile): DropFolder {
	return { accountId, area, filter };
}

/**
 * Returns the changes to the row of an upload that make it one that waits to be resumed after `size` bytes, and that no
 * daemon holds. The client has shown that its file has `reach` bytes.
 */
export function pausedAt(size: number, reach: number | null | undefined): Partial<NewDropFile> {
	const missing_to = (reach ?? 0) > size ? reach : null;
	return { state: 'partial', size, missing_to, writer: null, held_by: null, held_until: null };
}

/** In these states a file occupies its name: at most one file of a folder and name is in one of them. */
const VISIBLE_STATES = ['partial', 'receiving', 'ready'] as const satisfies DropState[];

/** Of files with one name, this order chooses the one that is shown: one in a visible state, then the newest input. */
const YOUNGEST_FIRST = `case when state in ('partial', 'receiving', 'ready') then 0 else 1 end, id desc`;

const IS_VISIBLE = `state in (${VISIBLE_STATES.map((state) => `'${state}'`)})`;
const VISIBLE = `where account_id = ? and area = ? and filter = ? and name = ? and ${IS_VISIBLE}`;
const VISIBLE_SQL = `select * from drop_files ${VISIBLE}`;

/**
 * Returns the SQL that finds the visible files at `count` places. For PostgreSQL it is written so that each place is
 * looked up in the index: while the table has no statistics, a plain join might read all of it.
 */
function listVisibleSql(dialect: Dialect, count: number): string {
	const first = '(cast(? as bigint), cast(? as text), cast(? as text), cast(? as text))';
	const wanted = `wanted (of_account, in_area, of_filter, named) as (values ${first}${', (?, ?, ?, ?)'.repeat(count - 1)})`;
	const isThere = `account_id = of_account and area = in_area and filter = of_filter and name = named and ${IS_VISIBLE}`;
	return dialect === 'postgres'
		? `with ${wanted} select file.* from wanted
			cross join lateral (select * from drop_files where ${isThere} limit 1) file`
		: `with ${wanted} select drop_files.* from wanted cross join drop_files on ${isThere}`;
}

/**
 * Finds the file that is shown under a single name, which is the first one in the order `YOUNGEST_FIRST`. Two index
 * look-ups are faster than sorting all files of the name.
 */
const SHOWN_SQL = `select * from drop_files where id = coalesce(
	(select id from drop_files ${VISIBLE}),
	(select id from drop_files where account_id = ? and area = ? and filter = ? and name = ? order by id desc limit 1))`;

/** Names from one on, after one, and before another; an end that is not given is open. */
export interface NameRange {
	readonly from?: string;
	readonly after?: string;
	readonly before?: string;
}

function within<Query extends Knex.QueryBuilder>(files: Query, { from, after, before }: NameRange): Query {
	if (from !== undefined) void files.where('name', '>=', from);
	if (after !== undefined) void files.where('name', '>', after);
	if (before !== undefined) void files.where('name', '<', before);
	return files;
}

/** Each method is a single statement over `drop_files`. `knex` may be a transaction. */
export function dropStore(knex: Knex) {
	const files = () => knex<DropFile>('drop_files');
	const inFolder = ({ accountId, area, filter }: DropFolder) => files().where({ account_id: accountId, area, filter });
	/** Selects accounts for which neither their own settings nor their owner's allow CVVs to be kept. */
	const withoutCvvRetention = () =>
		knex('accounts as account')
			.leftJoin('accounts as owner', 'owner.id', 'account.parent_id')
			.where('account.cvv_retention', false)
			.where((query) => void query.whereNull('owner.id').orWhere('owner.cvv_retention', false))
			.select('account.id');
	return {
		/** On SQLite the row becomes durable with the next durable commit, at the latest when the file is accepted. */
		async insert(row: NewDropFile): Promise<DropFile> {
			return insertRow(knex, { table: 'drop_files', key: 'id' }, { ...row }, 'unsynced');
		},
		/** Inserts at least one file, and returns the files as a map whose keys are the texts of `placeOf`. */
		async insertAll(rows: readonly NewDropFile[]): Promise<Map<string, DropFile>> {
			const values = rows.map((row) => ({ expires_at: null, ...row }));
			const columns = Object.keys(values[0]) as (keyof NewDropFile)[];
			const places = values.map(() => `(${columns.map(() => '?')})`);
			const answer = await queryRows<DropFile>(
				knex,
				`insert into drop_files (${columns}) values ${places} returning *`,
				values.flatMap((row) => columns.map((column) => row[column] ?? null)),
			);
			return new Map(answer.map((row) => [placeOf(row), row]));
		},
		/** Lists the uploads of an account that wait to be resumed, the last one first. */
		async listUnfinished(accountId: AccountId, limit: number): Promise<DropFile[]> {
			const sql = `select * from drop_files where account_id = ? and state = 'partial' order by modified_at desc limit ?`;
			return queryRows<DropFile>(knex, sql, [accountId, limit]);
		},
		async findById(id: number): Promise<DropFile | undefined> {
			return (await queryRows<DropFile>(knex, 'select * from drop_files where id = ?', [id]))[0];
		},
		async listByIds(ids: readonly number[]): Promise<DropFile[]> {
			const sql = `select * from drop_files where id in (${ids.map(() => '?')})`;
			return queryRows<DropFile>(knex, sql, ids);
		},
		/** Finds the one file that occupies a name: an upload not accepted yet, an output or a report. */
		async findVisible({ accountId, area, filter }: DropFolder, name: string): Promise<DropFile | undefined> {
			return (await queryRows<DropFile>(knex, VISIBLE_SQL, [accountId, area, filter, name]))[0];
		},
		/** Returns the files that occupy these names, as a map whose keys are the texts of `placeOf`. */
		async listVisible(places: readonly FilePlace[], dialect: Dialect): Promise<Map<string, DropFile>> {
			const values = places.map(({ account_id, area, filter, name }) => [account_id, area, filter, name]);
			const answer = await queryRows<DropFile>(knex, listVisibleSql(dialect, places.length), values.flat());
			return new Map(answer.map((file) => [placeOf(file), file]));
		},
		/** Lists the inputs that were uploaded under a name and whose jobs failed, oldest first. */
		async listFailed(folder: DropFolder, name: string): Promise<DropFile[]> {
			return (await inFolder(folder).where({ name, state: 'failed' }).orderBy('id')) as DropFile[];
		},
		/** Finds the file that is shown under a name: a file in a visible state if there is one, otherwise the newest input. */
		async findByName({ accountId, area, filter }: DropFolder, name: string): Promise<DropFile | undefined> {
			const place = [accountId, area, filter, name];
			return (await queryRows<DropFile>(knex, SHOWN_SQL, [...place, ...place]))[0];
		},
		/**
		 * Lists files in the order of their names, from the beginning of a range, or with `isBackward` from its end. Of several
		 * inputs with one name the newest comes first.
		 */
		async listPage(folder: DropFolder, range: NameRange, limit: number, isBackward = false): Promise<DropFile[]> {
			const order = `name${isBackward ? ' desc' : ''}, ${YOUNGEST_FIRST}`;
			return (await within(inFolder(folder), range).orderByRaw(order).limit(limit)) as DropFile[];
		},
		/** Counts the names of a folder in a range, up to `most`. */
		async countNames(folder: DropFolder, range: NameRange, most: number): Promise<number> {
			return countUpTo(knex, within(inFolder(folder), range).distinct('name'), most);
		},
		/** Changes a file if its columns are still as in `expected`; returns whether it was changed. */
		async update(id: number, expected: Partial<DropFile>, changes: Partial<NewDropFile>): Promise<boolean> {
			return updateRow(knex, 'drop_files', { ...expected, id }, changes);
		},
		async remove(id: number, expected: Partial<DropFile> = {}): Promise<boolean> {
			return (
				(await knex('drop_files')
					.where({ ...expected, id })
					.delete()) === 1
			);
		},
		/** Removes files. Returns the blob ids of those that existed, as a map by the ids of the files. */
		async takeAll(ids: readonly number[]): Promise<Map<number, string>> {
			const sql = `delete from drop_files where id in (${ids.map(() => '?')}) returning id, blob_id`;
			const rows = await queryRows<Pick<DropFile, 'id' | 'blob_id'>>(knex, sql, ids);
			return new Map(rows.map(({ id, blob_id }) => [id, blob_id]));
		},
		/** Extends the time for which a daemon holds its uploads in progress. */
		async renewHolds(heldBy: string, until: number): Promise<void> {
			const sql = `update drop_files set held_until = ? where state = 'receiving' and held_by = ?`;
			await execute(knex, sql, [until, heldBy], 'unsynced');
		},
		/** Lists the uploads in progress that no daemon holds any more at the time `at`; if it is null, all. */
		async listAbandoned(at: number | null): Promise<DropFile[]> {
			const query = files().where({ state: 'receiving' });
			if (at !== null) query.andWhere((or) => or.whereNull('held_until').orWhere('held_until', '<', at));
			return (await query.orderBy('id')) as DropFile[];
		},
		/** Lists files in one of the states that were not changed since `before`, oldest first. */
		async listOlder(
			where: { states: readonly DropState[]; areas: readonly Area[]; keepsNoCvv?: boolean },
			before: number,
			limit: number,
		): Promise<DropFile[]> {
			const older = files();
			if (where.keepsNoCvv) older.whereIn('account_id', withoutCvvRetention());
			return (await older
				.whereIn('state', where.states as DropState[])
				.whereIn('area', where.areas as Area[])
				.andWhere('modified_at', '<', before)
				.orderBy('modified_at')
				.limit(limit)) as DropFile[];
		},
		async listExpired(now: number, limit: number): Promise<DropFile[]> {
			return (await files().where('expires_at', '<=', now).orderBy('expires_at').limit(limit)) as DropFile[];
		},
		async findKnownBlobs(blobIds: readonly string[]): Promise<Set<string>> {
			const rows = await files()
				.whereIn('blob_id', blobIds as string[])
				.select('blob_id');
			return new Set(rows.map((row) => row.blob_id));
		},
		/** Sums up the files that an account has stored. Uploads in progress are included with their size at the last pause. */
		async measure(accountId: AccountId): Promise<{ bytes: number; files: number }> {
			// The sums are converted, because PostgreSQL sums integers in a type that the driver returns as text.
			const [sums] = await knex('drop_files')
				.where({ account_id: accountId })
				.sum({ bytes: 'size' })
				.count({ files: '*' });
			return { bytes: Number(sums.bytes ?? 0), files: Number(sums.files) };
		},
		async listAfter(afterId: number, limit: number): Promise<DropFile[]> {
			return (await files().where('id', '>', afterId).orderBy('id').limit(limit)) as DropFile[];
		},
	};
}
