// Manages the audit trail, which records everything that changed an account or a key or moved a card. Only one writer of a
// lane at a time can add entries; the others wait for their turn.

import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Dialect, transact } from '../base/database/dialect.ts';
import { gather } from '../base/database/gather.ts';
import { transactPlainly } from '../base/database/plain-transaction.ts';
import type { SqlTransaction } from '../base/database/sql.ts';
import type { KeyRing, SealingKey } from '../base/keys/key-ring.ts';
import { type AuditRow, auditHead, auditStore, type TrailRange } from './audit-store.ts';
import { hashOf, ORIGIN_HASH } from './chain.ts';
import { exportTrail } from './checks/export-trail.ts';
import { verifyTrail } from './checks/verify-trail.ts';
import { type AuditEntry, type CleanEntry, type NamedEntry, namedEntry } from './entry.ts';
import { type HeadRow, laneStore, laneWriter } from './lanes/lane-store.ts';
import { laneOfRow, MAIN_ROW, nextNumber, rowOfLane } from './lanes/numbers.ts';
import { nextLink, signedHead } from './lanes/signed-rows.ts';
import { noteStore } from './note-store.ts';

/**
 * The actions that the first entry of a trail may have. A new database begins its trail with `installation.create`. If
 * the head of an earlier trail is gone, the new trail begins with `audit.restart`. Trails that are older than the
 * action `installation.create` begin with `audit.start`; they get the entry `installation.adopt` once.
 */
const FIRST_ACTIONS = { start: 'installation.create', restart: 'audit.restart' } as const;

const KEY_REFRESH_MS = 30_000;
const START_WAIT_MS = 3_000;

export type Audit = Awaited<ReturnType<typeof openAudit>>;

/** Opens the trail of a migrated database and begins it if there is none. */
export async function openAudit(parts: {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly keyRing: KeyRing;
	readonly clock?: Clock;
	/** The lane to write in, which is there; 0 by default, in which commands write. */
	readonly lane?: number;
}) {
	const { database, keyRing, clock = systemClock, lane: given = 0 } = parts;
	const { knex, dialect } = database;
	let lane = given;
	/** Whether there were several lanes when an entry was last written. */
	let hasLanes = false;
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

	const append = async (transaction: SqlTransaction, named: readonly NamedEntry[], into = lane) => {
		const store = auditHead(transaction);
		const entries = await withAccounts(store, named);
		const writer = laneWriter(transaction, dialect);
		const isMarked = hasLanes;
		const head = await writer.lockHead(into, isMarked);
		if (!head) throw new Error('internal error: the head of the audit trail is gone; run `audit verify`');
		const isOneOfSeveral = head.lanes > 1;
		hasLanes = isOneOfSeveral;
		if (isOneOfSeveral && !isMarked) await writer.mark(into);
		// The numbers of other lanes are read after the lock was taken, so that they are not older than it.
		const { highest, link } = isOneOfSeveral ? await writer.findEnds() : { highest: head.seq, link: 0 };
		const rows = chain(entries, { ...head, highest }, key, clock.now().getTime());
		await store.insert(rows);
		const { seq, hash } = rows.at(-1)!;
		await writer.moveHead(signedHead({ seq, hash, lane: into, lanes: head.lanes, link }, key));
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
		while (!(await auditStore(knex).findHeadOf(0))) {
			if (Date.now() < deadline) {
				await sleep(50);
				continue;
			}
			const action = wasUsed ? FIRST_ACTIONS.restart : FIRST_ACTIONS.start;
			await transact(database, async (transaction) => {
				const store = auditStore(transaction);
				const others = await laneStore(transaction).listHeads();
				const lanes = Math.max(1, ...others.map((other) => other.lanes));
				const link = others.find(({ id }) => id === MAIN_ROW)?.seq ?? 0;
				const end = { seq: await store.findLastSeq(), hash: ORIGIN_HASH, lane: 0, lanes, link };
				if (!(await store.insertHead(signedHead(end, key)))) return;
				await noteStore(transaction).insert();
				await append(transaction, [namedEntry({ actor: 'daemon', action, subject: 'installation', details: {} })], 0);
			});
		}
		if (await noteStore(knex).find()) return;
		await transact(database, async (transaction) => {
			if (!(await noteStore(transaction).insert())) return;
			await append(
				transaction,
				[namedEntry({ actor: 'daemon', action: 'installation.adopt', subject: 'installation' })],
				0,
			);
		});
	}

	const audit = {
		/**
		 * Adds an entry, which is durable once the promise resolves. With a transaction the entry is part of it, and every
		 * other writer waits until the transaction ends, so add the entry as its last step. Without one, entries recorded
		 * at the same time share a transaction. Inside a transaction of your own always pass it, because on SQLite the call
		 * would otherwise wait forever.
		 */
		async record(entry: AuditEntry, transaction?: Knex.Transaction): Promise<void> {
			if (transaction) return audit.recordAll([entry], transaction);
			await write(namedEntry(entry));
		},
		async recordAll(entries: readonly AuditEntry[], transaction: SqlTransaction): Promise<void> {
			await append(transaction, entries.map(namedEntry));
			refreshKeyLater();
		},
		/** Reads the whole trail and tells whether it is complete, or where it breaks first. */
		verify: () => verifyTrail(knex, keyRing),
		findHash: async (seq: number) => (await noteStore(knex).hashesOf([seq])).get(seq),
		/**
		 * Writes the trail, or a range of it, to a stream: one line of JSON for each entry, oldest first, and then a line
		 * with a MAC, which shows whether the export was changed or shortened later. The stream is left open. Returns the
		 * number of entries.
		 */
		exportTo: async (stream: Writable, range?: TrailRange) =>
			(await exportTrail({ database, keyRing }, stream, range))?.entries ?? 0,
		/**
		 * Writes further entries in another lane, which is made if it is not there. Returns whether it does: a database whose
		 * last migration waits for daemons of an earlier version to end has no further lanes.
		 * @throws Error if the lane was there before and its end is gone
		 */
		async useLane(wanted: number): Promise<boolean> {
			await refreshKey();
			if (!(await openLane(database, { lane: wanted, at: clock.now().getTime() }, key))) return false;
			lane = wanted;
			return true;
		},
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

/**
 * Returns the rows of entries that follow the end of a lane. In a trail of one lane, the number after the last one is the
 * next one; in one of several, it is beyond all numbers that were given.
 */
function chain(
	entries: readonly CleanEntry[],
	{ id, seq: last, hash: lastHash, lanes, highest }: HeadRow & { readonly highest: number },
	key: SealingKey,
	at: number,
): AuditRow[] {
	const lane = lanes === 1 ? null : laneOfRow(id);
	let seq = Math.max(last, highest);
	let previousHash = lastHash;
	return entries.map((entry) => {
		seq = nextNumber(lane ?? 0, lanes, seq);
		const row = { seq, at, ...entry, lane, previous_hash: previousHash, key_id: key.id };
		previousHash = hashOf(row, key.secret);
		return { ...row, hash: previousHash };
	});
}

/**
 * Makes a lane unless it is there. Nobody writes in any lane meanwhile, because from then on all of them give other
 * numbers; the link that names the new lane is made in the same transaction. Returns false where the database has no
 * main chain yet (`0033-audit-lanes.contract`).
 * @throws Error if the main chain has a link with this lane, and its end is gone
 */
async function openLane(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	{ lane, at }: { readonly lane: number; readonly at: number },
	key: SealingKey,
): Promise<boolean> {
	const { knex, dialect } = database;
	const isThere = (heads: readonly HeadRow[]) => heads.some(({ id }) => id === rowOfLane(lane));
	if (isThere(await laneStore(knex).listHeads())) return true;
	if (!(await knex.schema.hasTable('audit_links'))) return false;
	await transact(database, async (transaction) => {
		const writer = laneWriter(transaction, dialect);
		const heads = await writer.lockAll();
		if (isThere(heads)) return;
		const main = heads.find(({ id }) => id === MAIN_ROW);
		const linked = main && (await laneStore(transaction).findLink(main.seq));
		if (linked && (JSON.parse(linked.heads) as unknown[][]).some(([known]) => known === lane))
			throw new Error(`the end of lane ${lane} of the audit trail is gone: run \`tokendrop audit verify\``);
		const lanes = Math.max(lane + 1, ...heads.map((head) => head.lanes));
		const link = (main?.seq ?? 0) + 1;
		const signed = heads
			.filter(({ id }) => id !== MAIN_ROW)
			.map(({ id, seq, hash }) => signedHead({ seq, hash, lane: laneOfRow(id), lanes, link }, key));
		const fresh = signedHead({ seq: 0, hash: ORIGIN_HASH, lane, lanes, link }, key);
		for (const head of signed) await writer.moveHead(head);
		await writer.insertHead(fresh);
		const next = nextLink({ heads: [...signed, fresh], at }, main ?? { seq: 0, hash: ORIGIN_HASH }, key);
		await writer.insertLink(next.link);
		await (main ? writer.moveHead(next.main) : writer.insertHead(next.main));
	});
	return true;
}
