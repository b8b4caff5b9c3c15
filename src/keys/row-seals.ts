// Seals rows that grant something with a MAC, so that a person who can only write the database can neither create such
// a row nor change one. A MAC does not show that an older version of a whole row was put back; code for which this
// matters also compares version numbers.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type Dialect, transact } from '../database/dialect.ts';
import type { KeyId } from '../database/ids.ts';
import { type KnownSealKeys, type SealKey, SealKeys } from './seal-keys.ts';

/** Says which rows have a seal (a MAC), and which columns it covers. */
export interface RowShape {
	readonly table: string;
	/** The names of the columns of the primary key. */
	readonly id: readonly string[];
	/** The names of all other columns that grant something. */
	readonly columns: readonly string[];
}

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
	seal(shape: RowShape, row: Row, beside?: string): { readonly seal_key: KeyId; readonly seal: Buffer };
	/**
	 * Returns whether a row matches its seal. If not, it is reported. Set `isNeededOnce` for a row that is checked only
	 * once, so that the result is not remembered.
	 * @throws UnknownSealKeyError
	 */
	isIntact(shape: RowShape, row: Row, options?: { readonly beside?: string; readonly isNeededOnce?: boolean }): boolean;
	/**
	 * Returns whether a row names a key that this process does not know, so that it cannot tell whether somebody changed
	 * the row.
	 */
	hasUnknownKey(row: Row): boolean;
	/** Reports a row that matches its seal but is an older version. */
	tellPutBack(shape: RowShape, row: Row): void;
}

export interface RowSeals {
	/**
	 * Returns a sealer for new rows. It must not be called inside a transaction, because it may query the database outside
	 * of that transaction. Code that checks rows uses `withSealer`, because a check may meet a new key.
	 */
	sealer(): Promise<Pick<RowSealer, 'seal'>>;
	/**
	 * Runs a transaction that seals and checks rows, and runs it again if it meets a key that another thread or process
	 * has just created.
	 */
	transact<T>(
		database: { readonly knex: Knex; readonly dialect: Dialect },
		work: (transaction: Knex.Transaction, sealer: RowSealer) => Promise<T>,
	): Promise<T>;
	/**
	 * Runs work that checks rows, and runs it again if it meets a key that another thread or process has just created.
	 */
	withSealer<T>(work: (sealer: RowSealer) => T | Promise<T>): Promise<T>;
	/** Forgets the keys, so that they are read again after a rotation. */
	forgetKeys(): void;
	/** Reports a row that was refused by code with a check of its own, such as a page that no key opens. */
	tell(row: BrokenRow): void;
	/** Sets the listener that is called for every refused row. */
	onBroken(listener: (row: BrokenRow) => void): void;
}

/**
 * Work is run at most this many times. A run ends early at each key that has to be looked for, and without a limit, many
 * rows that name different forged keys would repeat the work for each of them. In the last run such rows are refused.
 */
const MAX_RUNS = 4;
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

export function openRowSeals(readKeys: () => Promise<readonly SealKey[]>): RowSeals {
	const keys = new SealKeys(readKeys);
	const checked = new Map<string, string>();
	let listener: (row: BrokenRow) => void = () => {};

	const sealerOf = (known: KnownSealKeys, isLast: boolean): RowSealer => ({
		seal(shape, row, beside) {
			const { id, secret } = known.current;
			return { seal_key: id, seal: macOf(secret, textOf(shape, row, beside)) };
		},
		isIntact(shape, row, { beside, isNeededOnce = false } = {}) {
			const { seal_key: keyId, seal } = row as RowSeal;
			const key = isKeyId(keyId) ? known.find(keyId) : undefined;
			if (!key && isKeyId(keyId) && !isLast && !known.isLookedFor(keyId)) throw new UnknownSealKeyError(keyId);
			if (key && seal) {
				const text = textOf(shape, row, beside);
				const name = seal.toString('latin1');
				if (checked.get(name) === text) return true;
				if (isSame(macOf(key.secret, text), seal)) {
					if (isNeededOnce) return true;
					if (checked.size === MAX_CHECKED) checked.clear();
					checked.set(name, text);
					return true;
				}
			}
			listener({ table: shape.table, id: nameOf(shape, row), why: 'altered' });
			return false;
		},
		hasUnknownKey({ seal_key: keyId }) {
			return isKeyId(keyId) && known.find(keyId) === undefined;
		},
		tellPutBack(shape, row) {
			listener({ table: shape.table, id: nameOf(shape, row), why: 'put-back' });
		},
	});
	const withSealer = async <T>(work: (sealer: RowSealer) => T | Promise<T>): Promise<T> => {
		for (let run = 1; ; run++) {
			try {
				return await work(sealerOf(await keys.known(), run === MAX_RUNS));
			} catch (error) {
				if (!(error instanceof UnknownSealKeyError)) throw error;
				keys.lookFor(error.keyId);
			}
		}
	};

	return {
		sealer: async () => sealerOf(await keys.known(), true),
		transact: (database, work) => withSealer((sealer) => transact(database, (within) => work(within, sealer))),
		withSealer,
		forgetKeys() {
			keys.forget();
		},
		tell: (row) => listener(row),
		onBroken(heard) {
			listener = heard;
		},
	};
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
