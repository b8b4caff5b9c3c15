// Manages the audit trail, which records everything that changed an account or a key or moved a card. Only one daemon
// at a time can add entries; the others wait for their turn.

import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Dialect, transact } from '../base/database/dialect.ts';
import { gather } from '../base/database/gather.ts';
import { transactPlainly } from '../base/database/plain-transaction.ts';
import type { SqlTransaction } from '../base/database/sql.ts';
import type { KeyRing, SealingKey } from '../base/keys/key-ring.ts';
import { type AuditRow, auditHead, auditStore, type HeadRow, type TrailRange } from './audit-store.ts';
import { hashOf, ORIGIN_HASH, signatureOf } from './chain.ts';
import { exportTrail } from './checks/export-trail.ts';
import { type TrailVerdict, verifyTrail } from './checks/verify-trail.ts';
import { type AuditEntry, type CleanEntry, type NamedEntry, namedEntry } from './entry.ts';
import { noteStore } from './note-store.ts';

export interface Audit {
	/**
	 * Adds an entry, which is durable once the promise resolves. With a transaction the entry is part of it, and every
	 * other writer waits until the transaction ends, so add the entry as its last step. Without one, entries recorded
	 * at the same time share a transaction. Inside a transaction of your own always pass it, because on SQLite the call
	 * would otherwise wait forever.
	 */
	record(entry: AuditEntry, transaction?: Knex.Transaction): Promise<void>;
	/** Records several entries in the caller's transaction, in their order. */
	recordAll(entries: readonly AuditEntry[], transaction: SqlTransaction): Promise<void>;
	/** Reads the whole trail and tells whether it is complete, or where it breaks first. */
	verify(): Promise<TrailVerdict>;
	/** Returns the hash of an entry, or undefined if there is none with this number. */
	findHash(seq: number): Promise<string | undefined>;
	/**
	 * Writes the trail, or a range of it, to a stream: one line of JSON for each entry, oldest first, and then a line
	 * with a MAC, which shows whether the export was changed or shortened later. The stream is left open. Returns the
	 * number of entries.
	 */
	exportTo(stream: Writable, range?: TrailRange): Promise<number>;
}

export interface AuditOptions {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly keyRing: KeyRing;
	readonly clock?: Clock;
}

/**
 * The actions that the first entry of a trail may have. A new database begins its trail with `installation.create`. If
 * the head of an earlier trail is gone, the new trail begins with `audit.restart`. Trails that are older than the
 * action `installation.create` begin with `audit.start`; they get the entry `installation.adopt` once.
 */
const FIRST_ACTIONS = { start: 'installation.create', restart: 'audit.restart' } as const;

const KEY_REFRESH_MS = 30_000;
const START_WAIT_MS = 3_000;

/** Opens the trail of a migrated database and begins it if there is none. */
export async function openAudit({ database, keyRing, clock = systemClock }: AuditOptions): Promise<Audit> {
	const { knex, dialect } = database;
	// If there are keys besides those that a new database has, the database was used before and must have had a trail.
	const keys = await keyRing.list();
	const wasUsed = keys.some(({ purpose, generation }) =>
		purpose === 'seal' ? generation > 1 : purpose !== 'environment' || generation > 1,
	);
	let key = await keyRing.current('audit');
	let keyReadAt = Date.now();

	const refreshKey = async () => {
		keyReadAt = Date.now();
		key = await keyRing.current('audit');
	};
	/**
	 * Reads the audit key again if the last reading was long ago. Nobody waits for it, because it may be called inside a
	 * transaction: on SQLite the transaction holds the only connection, which the key ring may need.
	 */
	const refreshKeyLater = () => {
		if (Date.now() - keyReadAt > KEY_REFRESH_MS) void refreshKey().catch(() => {});
	};

	const append = async (transaction: SqlTransaction, named: readonly NamedEntry[]) => {
		const store = auditHead(transaction);
		const entries = await withAccounts(store, named);
		const head = await store.lockHead(dialect);
		if (!head) throw new Error('internal error: the head of the audit trail is gone; run `audit verify`');
		const rows = chain(entries, head, key, clock.now().getTime());
		await store.insert(rows);
		await store.moveHead(signedHead(rows.at(-1)!.seq, rows.at(-1)!.hash, key));
	};

	const write = gather<NamedEntry, void>({
		async doAll(entries) {
			if (Date.now() - keyReadAt > KEY_REFRESH_MS) await refreshKey();
			await transactPlainly(database, (transaction) => append(transaction, entries));
			return [];
		},
	});

	await begin();

	/**
	 * Begins a trail if there is none. If the database was used before, another daemon that is just starting may have
	 * created the keys, so it gets a moment to write the head.
	 */
	async function begin() {
		const deadline = Date.now() + (wasUsed ? START_WAIT_MS : 0);
		while (!(await auditStore(knex).findHead())) {
			if (Date.now() < deadline) {
				await sleep(50);
				continue;
			}
			const action = wasUsed ? FIRST_ACTIONS.restart : FIRST_ACTIONS.start;
			await transact(database, async (transaction) => {
				const store = auditStore(transaction);
				const isMade = await store.insertHead(signedHead(await store.findLastSeq(), ORIGIN_HASH, key));
				if (!isMade) return;
				await noteStore(transaction).insert();
				await append(transaction, [namedEntry({ actor: 'daemon', action, subject: 'installation', details: {} })]);
			});
		}
		if (await noteStore(knex).find()) return;
		await transact(database, async (transaction) => {
			if (!(await noteStore(transaction).insert())) return;
			await append(transaction, [
				namedEntry({ actor: 'daemon', action: 'installation.adopt', subject: 'installation' }),
			]);
		});
	}

	const audit: Audit = {
		async record(entry, transaction) {
			if (transaction) return audit.recordAll([entry], transaction);
			await write(namedEntry(entry));
		},
		async recordAll(entries, transaction) {
			await append(transaction, entries.map(namedEntry));
			refreshKeyLater();
		},
		verify: () => verifyTrail(knex, keyRing),
		findHash: async (seq) => (await noteStore(knex).hashesOf([seq])).get(seq),
		exportTo: async (stream, range) => (await exportTrail({ knex, keyRing }, stream, range))?.entries ?? 0,
	};
	return audit;
}

/** Looks up the accounts that entries name, and falls back to the account of the caller. */
async function withAccounts(
	store: ReturnType<typeof auditHead>,
	named: readonly NamedEntry[],
): Promise<readonly CleanEntry[]> {
	const sought = new Set(named.flatMap(({ sought }) => sought ?? []));
	if (sought.size === 0) return named.map(({ entry }) => entry);
	const found = await store.findPrimaries([...sought]);
	return named.map(({ entry, sought }) => {
		const account_id = sought === undefined ? undefined : found.get(sought);
		return account_id === undefined ? entry : { ...entry, account_id };
	});
}

function chain(entries: readonly CleanEntry[], head: HeadRow, key: SealingKey, at: number): AuditRow[] {
	const rows: AuditRow[] = [];
	let previousHash = head.hash;
	for (const [index, entry] of entries.entries()) {
		const hash = hashOf({ ...entry, at, previousHash, keyId: key.id }, key.secret);
		rows.push({ seq: head.seq + 1 + index, at, ...entry, previous_hash: previousHash, key_id: key.id, hash });
		previousHash = hash;
	}
	return rows;
}

function signedHead(seq: number, hash: string, key: SealingKey): HeadRow {
	return { seq, hash, key_id: key.id, signature: signatureOf({ seq, hash, keyId: key.id }, key.secret) };
}
