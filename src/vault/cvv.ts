// CVVs: kept apart from their cards, only under a retention policy, and destroyed as soon as they are used up or their
// time has come (spec §2.4, shapes §3).

import type { Knex } from 'knex';
import type { Cvv } from '../card/cvv-code.ts';
import type { Clock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Resolved } from './card-reader.ts';
import type { Change, OnChanged } from './change.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd, openCvv, sealCvv } from './cvv-seal.ts';
import { type CvvDestinationRow, type CvvDestinationType, type CvvRow, cvvStore } from './cvv-store.ts';

/** Where a CVV is about to go. `data` is the host name, user ID or gateway the policy may name. */
export interface CvvDestination {
	readonly type: CvvDestinationType;
	readonly data: string;
}

/** A CVV on its way out; the taker wipes the digits. */
export interface OpenedCvv {
	readonly digits: Buffer;
	/** The file it came from wrote it as a bare JSON number. */
	readonly isBare: boolean;
	/** When its policy ends: where it goes it may not be kept for longer. */
	readonly endsAtMs: number;
}

export interface CvvPolicy {
	readonly endsAt: Date;
	readonly deletesCard: boolean;
	/** Empty: any destination, `usesLeft` times. */
	readonly destinations: readonly CvvDestinationRow[];
	readonly usesLeft: number;
}

type Place = Pick<Resolved, 'page' | 'slot'>;

/** Everything that happens to a CVV after it was stored. */
export class CvvVault {
	private readonly database: Database;
	private readonly keyRing: KeyRing;
	private readonly clock: Clock;
	private readonly onChanged: OnChanged | undefined;

	constructor(options: { database: Database; keyRing: KeyRing; clock: Clock; onChanged?: OnChanged }) {
		this.database = options.database;
		this.keyRing = options.keyRing;
		this.clock = options.clock;
		this.onChanged = options.onChanged;
	}

	/** Stores a CVV for a card that is in the vault, replacing any it had. */
	async keep(place: Place, digits: Buffer, policy: Omit<CvvPolicy, 'destinations'>): Promise<void> {
		const accountId = place.page.account_id;
		const key = await this.keyRing.current('cvv', accountId);
		const { id } = place.page;
		await transact(this.database, async (transaction) => {
			const store = cvvStore(transaction, this.database.dialect);
			await store.insert({
				page_id: id,
				slot: place.slot,
				account_id: accountId,
				key_id: key.id,
				sealed: sealCvv(key, digits, false, { accountId, page: id, slot: place.slot }),
				ends_at: policy.endsAt.getTime(),
				delete_card: policy.deletesCard ? 1 : 0,
				uses_left: policy.usesLeft,
			});
			await store.replaceDestinations(id, place.slot, []);
		});
	}

	/** The same under the default policy (shapes §3). */
	async keepByDefault(place: Place, cvv: Cvv): Promise<void> {
		const digits = Buffer.from(cvv.reveal());
		const endsAt = new Date(defaultCvvEnd(this.clock.now().getTime()));
		await this.keep(place, digits, { endsAt, deletesCard: false, usesLeft: DEFAULT_CVV_USES });
		digits.fill(0);
	}

	/**
	 * Takes a CVV out for one use. The use is counted under a lock before the CVV leaves and is never given back; the
	 * last use destroys it. Undefined when there is none, it has ended, or the policy does not let it go there. A way
	 * out may have several names (its host, whose call it is); one of them is enough, and the first allowed is counted.
	 */
	async use(place: Place, ...ways: readonly CvvDestination[]): Promise<OpenedCvv | undefined> {
		// The key is fetched before the transaction: within it SQLite's one connection is taken.
		const { knex, dialect } = this.database;
		const before = await cvvStore(knex, dialect).find(place.page.id, place.slot);
		if (!before) return undefined;
		const key = await this.keyRing.byId(before.key_id);
		return transact(this.database, async (transaction) => {
			const store = cvvStore(transaction, dialect);
			const row = await store.findForUpdate(place.page.id, place.slot);
			if (!row || row.key_id !== key.id || row.ends_at <= this.clock.now().getTime()) return undefined;
			const destinations = await store.listDestinations(row.page_id, row.slot);
			const counted =
				destinations.length > 0 ? findFirst(ways, (way) => findDestination(destinations, way)) : undefined;
			if (destinations.length > 0 ? !counted : row.uses_left <= 0) return undefined;
			const opened = openCvv(key, row.sealed, {
				accountId: row.account_id,
				page: row.page_id,
				slot: row.slot,
			});
			await store.countUse(row.page_id, row.slot, counted);
			if (isUsedUp(row, destinations, counted)) await this.destroyWithin(store, row);
			return { ...opened, endsAtMs: row.ends_at };
		});
	}

	/** A use by a detokenized file. */
	async useForFile(place: Place): Promise<OpenedCvv | undefined> {
		return this.use(place, { type: 'SFTP', data: '' });
	}

	/** The policy of a card's CVV; undefined when none is kept. */
	async findPolicy(place: Place): Promise<CvvPolicy | undefined> {
		const store = cvvStore(this.database.knex, this.database.dialect);
		const row = await store.find(place.page.id, place.slot);
		if (!row || row.ends_at <= this.clock.now().getTime()) return undefined;
		return policyOf(row, await store.listDestinations(row.page_id, row.slot));
	}

	/**
	 * Replaces the policy of a kept CVV by what comes of the one it has, under the lock that uses are counted under; uses
	 * already counted stay counted. A policy that leaves no use destroys the CVV. False when none is kept.
	 */
	async changePolicy(place: Place, change: (current: CvvPolicy) => CvvPolicy, told?: Change): Promise<boolean> {
		return transact(this.database, async (transaction) => {
			const store = cvvStore(transaction, this.database.dialect);
			const { id } = place.page;
			const row = await store.findForUpdate(id, place.slot);
			if (!row || row.ends_at <= this.clock.now().getTime()) return false;
			const policy = change(policyOf(row, await store.listDestinations(id, place.slot)));
			const { endsAt, deletesCard, usesLeft, destinations } = policy;
			await store.updatePolicy(id, place.slot, endsAt.getTime(), deletesCard, usesLeft);
			await store.replaceDestinations(id, place.slot, destinations);
			const isUsable = destinations.length > 0 ? destinations.some(({ used, quota }) => used < quota) : usesLeft > 0;
			if (!isUsable) await this.destroyWithin(store, { ...row, delete_card: deletesCard ? 1 : 0 });
			if (told) await this.onChanged?.(told, transaction);
			return true;
		});
	}

	/**
	 * Destroys a CVV; says whether its policy wants the card gone with it. Whoever does not get to that leaves it to
	 * retention.
	 */
	async destroy(place: Place, told?: Change): Promise<{ takesCard: boolean }> {
		return transact(this.database, async (transaction) => {
			const store = cvvStore(transaction, this.database.dialect);
			const row = await store.findForUpdate(place.page.id, place.slot);
			if (row) await this.destroyWithin(store, row);
			if (told) await this.onChanged?.(told, transaction);
			return { takesCard: row?.delete_card === 1 };
		});
	}

	/** The same within a transaction of the caller's: it stands or falls with whatever that records. */
	async destroyIn(transaction: Knex.Transaction, { page, slot }: { page: number; slot: number }): Promise<void> {
		const store = cvvStore(transaction, this.database.dialect);
		const row = await store.findForUpdate(page, slot);
		if (row) await this.destroyWithin(store, row);
	}

	/**
	 * Where the policy deletes the card with its CVV, an emptied row that has ended stays behind: retention finds it and
	 * takes the card. Doing so here would pull the card from under whoever is using it.
	 */
	private async destroyWithin(store: ReturnType<typeof cvvStore>, row: CvvRow): Promise<void> {
		if (row.delete_card === 1) await store.empty(row.page_id, row.slot, this.clock.now().getTime());
		else await store.remove(row.page_id, row.slot);
	}

	/**
	 * Destroys CVVs whose time has come; returns the cards that are to go with theirs. What says so of a card stays until
	 * `forget`: a crash in between leaves it to the next run. Run by retention.
	 */
	async destroyEnded(limit = 1000): Promise<{ destroyed: number; withCard: { page: number; slot: number }[] }> {
		const store = cvvStore(this.database.knex, this.database.dialect);
		const ended = await store.listEnded(this.clock.now().getTime(), limit);
		for (const row of ended) await this.destroyWithin(store, row);
		const withCard = ended.filter((row) => row.delete_card === 1).map((row) => ({ page: row.page_id, slot: row.slot }));
		return { destroyed: ended.length, withCard };
	}

	/** Lets go of what is left of a destroyed CVV once its card is gone too. */
	async forget({ page, slot }: { page: number; slot: number }): Promise<void> {
		await cvvStore(this.database.knex, this.database.dialect).remove(page, slot);
	}
}

function policyOf(row: CvvRow, destinations: readonly CvvDestinationRow[]): CvvPolicy {
	const { ends_at, delete_card, uses_left } = row;
	return { endsAt: new Date(ends_at), deletesCard: delete_card === 1, destinations, usesLeft: uses_left };
}

function findFirst<From, To>(values: readonly From[], find: (value: From) => To | undefined): To | undefined {
	for (const value of values) {
		const found = find(value);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The destination that names it, before one that takes any: that has uses for others too. */
function findDestination(
	destinations: readonly CvvDestinationRow[],
	wanted: CvvDestination,
): CvvDestinationRow | undefined {
	const named = (data: string) =>
		destinations.find(
			(each) => each.type === wanted.type && each.data.toLowerCase() === data && each.used < each.quota,
		);
	return named(wanted.data.toLowerCase()) ?? named('');
}

/** Whether nothing is left once the use of `counted` (or of the row itself) has been counted. */
function isUsedUp(row: CvvRow, destinations: readonly CvvDestinationRow[], counted?: CvvDestinationRow): boolean {
	if (!counted) return row.uses_left <= 1;
	return destinations.every((each) => each.used + (each === counted ? 1 : 0) >= each.quota);
}
