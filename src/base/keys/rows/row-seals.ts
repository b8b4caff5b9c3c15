// Seals rows that grant something with a MAC, so that a person who can only write the database can neither create such
// a row nor change one. A MAC does not show that an older version of a whole row was put back. So the check of a row
// also compares its generation with the current one, which is remembered outside the row (`freshness.ts`).

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type Dialect, transact } from '../../database/dialect.ts';
import type { KeyId } from '../../database/ids.ts';
import type { SqlTarget } from '../../database/sql.ts';
import { type KnownSealKeys, type SealKey, sealKeys } from '../seal-keys.ts';
import type { EndedRows } from './ended-rows.ts';
import { type EndedRow, endedRowsStore } from './ended-rows-store.ts';
import { type Freshness, nameOfRow } from './freshness.ts';

/** Says which rows have a seal (a MAC), and which columns it covers. */
export interface RowShape {
	readonly table: string;
	readonly id: readonly string[];
	/** The names of all other columns that grant something. */
	readonly columns: readonly string[];
	/** Says how an older version of a row is recognised. */
	readonly freshness: Freshness;
}

export const sealedEndedRows: RowShape = {
	table: 'ended_rows',
	id: ['name', 'row_id'],
	columns: ['generation', 'needed_until', 'at'],
	freshness: {
		by: 'nothing',
		because: 'every process and a file of the data directory remember the highest generation that an entry has had',
	},
};

/** These columns of a row hold its seal. */
export interface RowSeal {
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/** Describes a row that is refused: it has no seal, does not match its seal, or is an older version of the row. */
export interface BrokenRow {
	readonly table: string;
	/** The row's primary key; values as long as the hash of a credential are shortened. */
	readonly id: string;
	/**
	 * Tells why the row is refused. `altered`: it has no seal or does not match it. `put-back`: it matches its seal,
	 * but is an older version.
	 */
	readonly why: 'altered' | 'put-back';
}

// biome-ignore lint/suspicious/noExplicitAny: every table has columns of its own
type Row = { readonly [column: string]: any };

/** Makes and checks MACs without asking the database, so it also works within transactions. */
export interface RowSealer {
	/** Returns the seal of a row. It also covers `beside`, the text of rows in another table that belong to this one. */
	seal(shape: RowShape, row: Row, beside?: string): Seal;
	/**
	 * Returns a row that takes the place of an earlier version, or of a row that was removed, with its seal and its
	 * generation, for the caller to write. From the end of the transaction on, all earlier versions are invalid.
	 */
	renew<Renewed extends Row>(transaction: SqlTarget, shape: RowShape, row: Renewed): Promise<Renewed & Seal>;
	/** Makes every version of the given rows invalid that was written so far. Call it in the transaction that removes them. */
	end(transaction: SqlTarget, shape: RowShape, ...rows: readonly Row[]): Promise<void>;
	/**
	 * Returns whether a row matches its seal and is not an older version. If not, it is reported.
	 * @throws UnknownSealKeyError, LearnedMeanwhileError
	 */
	isIntact(shape: RowShape, row: Row, options?: CheckOptions): boolean;
	/** Returns whether a row matches its seal, without reporting it if not. It does not tell whether the row is an older version. */
	matches(shape: RowShape, row: Row): boolean;
	/**
	 * Returns whether a row names a key that this process does not know, so that it cannot tell whether somebody changed
	 * the row.
	 */
	hasUnknownKey(row: Row): boolean;
}

export interface Seal {
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

export interface CheckOptions {
	/** The text of rows in another table that the seal covers too. */
	readonly beside?: string;
	/** True for a row that is checked only once, so that the result is not remembered. */
	readonly isNeededOnce?: boolean;
	/** The generation that the page of the row stores; a row with a lower one is an older version. */
	readonly notBefore?: number;
}

export interface JudgedRow<Found> {
	readonly row: Found;
	readonly isBroken: boolean;
}

/** A version of a row, by which `isCurrent` recognises whether it has ended. */
export interface RowVersion {
	readonly shape: RowShape;
	readonly row: Row;
}

/**
 * Work is run at most this many times. A run ends early at each key that has to be looked for, and without a limit, many
 * rows that name different forged keys would repeat the work for each of them. In the last run such rows are refused.
 */
const MAX_RUNS = 4;
/** Generations are times or small numbers. A number beyond this was not written by us, and counting on from it could overflow. */
const MAX_GENERATION = 1e15;
/** This many checked seals are remembered with the text they cover, because a merchant logs in with one key all day. */
const MAX_CHECKED = 10_000;

/** This error is thrown if a row names a key that this process does not know yet, or that does not exist. */
class UnknownSealKeyError extends Error {
	override readonly name = 'UnknownSealKeyError';
	readonly keyId: KeyId;
	constructor(keyId: KeyId) {
		super(`a row is sealed under key ${keyId}, which is not known yet`);
		this.keyId = keyId;
	}
}

/** This error is thrown if a row has ended, and this process has learned it only after the work with the row began. */
class LearnedMeanwhileError extends Error {
	override readonly name = 'LearnedMeanwhileError';
}

export type RowSeals = ReturnType<typeof openRowSeals>;

/** `now` returns the time in milliseconds since 1970. */
export function openRowSeals(readKeys: () => Promise<readonly SealKey[]>, ended: EndedRows, now: () => number) {
	const keys = sealKeys(readKeys);
	const checked = new Map<string, string>();
	let listener: (row: BrokenRow) => void = () => {};

	/** Returns the entry of the register by which a row is an older version, or undefined if it is not. */
	const endOf = (shape: RowShape, row: Row) => {
		const { freshness } = shape;
		if (freshness.by !== 'ended-rows') return undefined;
		const end = ended.find(nameOfRow(shape, row));
		if (!end || (freshness.over !== undefined && row[freshness.over] !== null)) return undefined;
		const isOlder = freshness.generation === undefined || Number(row[freshness.generation]) < end.generation;
		return isOlder ? end : undefined;
	};
	const sealerOf = (known: KnownSealKeys, { isLast = false, committed = [] as EndedRow[] } = {}): RowSealer => {
		const knownEnds = ended.count;
		const matches = (shape: RowShape, row: Row, { beside, isNeededOnce = false }: CheckOptions): boolean => {
			const { seal_key: keyId, seal } = row as RowSeal;
			const key = isKeyId(keyId) ? known.find(keyId) : undefined;
			if (!key && isKeyId(keyId) && !isLast && !known.isLookedFor(keyId)) throw new UnknownSealKeyError(keyId);
			if (!key || !seal) return false;
			const text = textOf(shape, row, beside);
			const name = seal.toString('latin1');
			if (checked.get(name) === text) return true;
			if (!isSame(macOf(key.secret, text), seal)) return false;
			if (isNeededOnce) return true;
			if (checked.size === MAX_CHECKED) checked.clear();
			checked.set(name, text);
			return true;
		};
		const sealer: RowSealer = {
			seal(shape, row, beside) {
				const { id, secret } = known.current;
				return { seal_key: id, seal: macOf(secret, textOf(shape, row, beside)) };
			},
			async renew(transaction, shape, row) {
				const { generation: column } = requireRegister(shape);
				if (column === undefined) throw new Error(`internal error: rows of ${shape.table} never change`);
				// The entry is read from the table too, because another daemon may just have removed a row of this name.
				const entry = await endedRowsStore(transaction).find(nameOfRow(shape, row));
				const isGood = entry !== undefined && matches(sealedEndedRows, entry, { isNeededOnce: true });
				const generation = await note(transaction, shape, row, isGood ? entry.generation : 0);
				const renewed = { ...row, [column]: generation };
				return { ...renewed, ...sealer.seal(shape, renewed) };
			},
			async end(transaction, shape, ...rows) {
				for (const row of rows) await note(transaction, shape, row, 0);
			},
			isIntact(shape, row, options = {}) {
				const tell = (why: BrokenRow['why']) => listener({ table: shape.table, id: nameOf(shape, row), why });
				if (!matches(shape, row, options)) {
					tell('altered');
					return false;
				}
				const { freshness } = shape;
				const end = endOf(shape, row);
				// The row may have been read before this process learned of its end, and be a valid one of that time.
				if (end && end.nth > knownEnds && !isLast) throw new LearnedMeanwhileError();
				const isOlder = freshness.by === 'page' && row[freshness.generation] < (options.notBefore ?? 0);
				if (!end && !isOlder) return true;
				tell('put-back');
				return false;
			},
			matches: (shape, row) => matches(shape, row, { isNeededOnce: true }),
			hasUnknownKey({ seal_key: keyId }) {
				return isKeyId(keyId) && known.find(keyId) === undefined;
			},
		};
		/** Writes an entry to the register, and returns its generation: it is later than that of every version so far. */
		const note = async (transaction: SqlTarget, shape: RowShape, row: Row, atLeast: number): Promise<number> => {
			const { generation: column, until } = requireRegister(shape);
			const name = nameOfRow(shape, row);
			const own = column === undefined ? 0 : Number(row[column]);
			const before = Math.max(ended.find(name)?.generation ?? 0, own < MAX_GENERATION ? own : 0, atLeast);
			const at = now();
			const entry = {
				...name,
				generation: Math.max(at, before + 1),
				at,
				needed_until: until === undefined ? null : Number(row[until]),
			};
			const sealed = { ...entry, ...sealer.seal(sealedEndedRows, entry) };
			await endedRowsStore(transaction).put(sealed);
			committed.push(sealed);
			ended.expire();
			return entry.generation;
		};
		return sealer;
	};
	const withKeys = async <T>(work: (sealer: RowSealer) => T | Promise<T>, committed?: EndedRow[]): Promise<T> => {
		for (let run = 1; ; run++) {
			committed?.splice(0);
			try {
				return await work(sealerOf(await keys.known(), { isLast: run === MAX_RUNS, committed }));
			} catch (error) {
				if (error instanceof UnknownSealKeyError) keys.lookFor(error.keyId);
				else if (!(error instanceof LearnedMeanwhileError)) throw error;
			}
		}
	};
	const refresh = () =>
		ended.refresh((rows, { isFile }) =>
			withKeys((sealer) =>
				rows.filter((row) => {
					// A sweep does not change the file, so its lines may name keys that were destroyed since.
					if (isFile) return sealer.matches(sealedEndedRows, row);
					return sealer.isIntact(sealedEndedRows, row, { isNeededOnce: true });
				}),
			),
		);
	const withSealer = async <T>(work: (sealer: RowSealer) => T | Promise<T>): Promise<T> => {
		await refresh();
		return withKeys(work);
	};

	const judge = <Found extends Row>(
		shape: RowShape,
		read: () => Promise<readonly Found[]>,
	): Promise<JudgedRow<Found>[]> =>
		withSealer(async (sealer) => (await read()).map((row) => ({ row, isBroken: !sealer.isIntact(shape, row) })));

	return {
		/**
		 * Returns a sealer for new rows. It must not be called inside a transaction, because it may query the database outside
		 * of that transaction. Code that checks rows uses `withSealer`, because a check may meet a new key.
		 */
		sealer: async () => sealerOf(await keys.known(), { isLast: true }),
		/**
		 * Runs a transaction that seals and checks rows, and runs it again if it meets a key that another thread or process
		 * has just created.
		 */
		async transact<T>(
			database: { readonly knex: Knex; readonly dialect: Dialect },
			work: (transaction: Knex.Transaction, sealer: RowSealer) => Promise<T>,
		): Promise<T> {
			await refresh();
			const committed: EndedRow[] = [];
			const result = await withKeys(
				(sealer) => transact(database, (transaction) => work(transaction, sealer)),
				committed,
			);
			if (committed.length > 0) await ended.learnCommitted(committed);
			return result;
		},
		/**
		 * Runs work that reads and checks rows, and runs it again if it meets a key that another thread or process has just
		 * created, or a row that another one has changed since it was read. So the work must read the rows itself. Rows that
		 * were read before are only allowed if a page says which of their versions is current.
		 */
		withSealer,
		/** Reads a row, and returns it if it matches its seal and is not an older version. */
		find: <Found extends Row>(shape: RowShape, read: () => Promise<Found | undefined>, options?: CheckOptions) =>
			withSealer(async (sealer) => {
				const row = await read();
				return row && sealer.isIntact(shape, row, options) ? row : undefined;
			}),
		/**
		 * Reads rows, and tells of each whether it is broken: it does not match its seal, or is an older version. A list for
		 * people shows such a row as what it is, since nothing else can be done with it.
		 */
		judge,
		/** Reads rows, and returns those that match their seals and are not older versions. */
		list: async <Found extends Row>(shape: RowShape, read: () => Promise<readonly Found[]>) =>
			(await judge(shape, read)).flatMap(({ row, isBroken }) => (isBroken ? [] : [row])),
		/**
		 * Reads the register of ended rows, unless this was done less than a second ago. Code that remembers the result of a
		 * check awaits it, reads the row, and asks `isCurrent`.
		 */
		refresh,
		/** Tells whether a row that was intact at an earlier time has not ended since. */
		isCurrent: ({ shape, row }: RowVersion) => endOf(shape, row) === undefined,
		/** Removes entries of the register of ended rows that nobody needs any more. */
		removePastEnds: () => ended.removePast(),
		/** Forgets the keys, so that they are read again after a rotation. */
		forgetKeys: keys.forget,
		/** Reports a row that was refused by code with a check of its own, such as a page that no key opens. */
		tell: (row: BrokenRow) => listener(row),
		onBroken(heard: (row: BrokenRow) => void): void {
			listener = heard;
		},
	};
}

function requireRegister({ table, freshness }: RowShape): Extract<Freshness, { by: 'ended-rows' }> {
	if (freshness.by !== 'ended-rows')
		throw new Error(`internal error: rows of ${table} are not in the register of ends`);
	return freshness;
}

/**
 * Returns a sealer that has only the given key. The transaction that creates the first key of the seals needs it,
 * because no other connection sees that key yet.
 */
export function sealerWith(key: SealKey): Pick<RowSealer, 'seal'> {
	return {
		seal: (shape, row, beside) => ({ seal_key: key.id, seal: macOf(key.secret, textOf(shape, row, beside)) }),
	};
}

const LAYOUT = 1;

/**
 * Returns the text that the seal of a row covers. Its parts are joined as a JSON array, because plain joined text would
 * be ambiguous.
 */
function textOf({ table, id, columns }: RowShape, row: Row, beside?: string): string {
	const parts: unknown[] = [LAYOUT, table];
	for (const column of id) parts.push(plain(row[column]));
	for (const column of columns) parts.push(plain(row[column]));
	if (beside !== undefined) parts.push(beside);
	return JSON.stringify(parts);
}

function isKeyId(keyId: unknown): keyId is KeyId {
	return typeof keyId === 'number';
}

function macOf(key: KeyObject, text: string): Buffer {
	return createHmac('sha256', key).update(text).digest();
}

/**
 * Converts a value of a row so that it is the same before the row is written and after it is read, on either database.
 */
function plain(value: unknown): unknown {
	if (value === undefined) throw new Error('internal error: a column that its seal covers was not read');
	if (typeof value === 'boolean') return value ? 1 : 0;
	return Buffer.isBuffer(value) ? { hex: value.toString('hex') } : value;
}

function isSame(mac: Buffer, seal: Buffer): boolean {
	return mac.length === seal.length && timingSafeEqual(mac, seal);
}

function nameOf(shape: RowShape, row: Row): string {
	return shape.id.map((column) => shown(row[column])).join('/');
}

/** Returns a value as reports show it. Hashes of credentials are shortened, so that they are of no use to a reader. */
function shown(value: unknown): string {
	const text = String(value);
	return text.length > 32 ? `${text.slice(0, 8)}…` : text;
}
