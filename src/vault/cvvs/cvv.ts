// Stores CVVs separately from their cards, and only under a retention policy. Destroys them as soon as they are used up
// or have expired (spec §2.4, shapes §3).

import type { Knex } from 'knex';
import type { Cvv } from '../../base/card/clear-cvv.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Resolved } from '../cards/card-reader.ts';
import type { Change, OnChanged } from '../change.ts';
import { withLockedPage } from '../pages/locked-page.ts';
import { openPageRow } from '../pages/page-row.ts';
import { pageStore } from '../pages/page-store.ts';
import { besideCvv, sealedCvvs } from '../sealed-rows.ts';
import { type CvvSpelling, DEFAULT_CVV_USES, defaultCvvEnd, openCvv, sealCvv } from './cvv-seal.ts';
import { type CvvDestinationRow, type CvvRow, cvvStore, EMPTIED } from './cvv-store.ts';
import type { CvvDestinationType } from './destination-types.ts';
import { destroyEndedCvvs, type EndedCvvs } from './ended-cvvs.ts';
import { countOn, isKept, withKeptCvv } from './kept-cvv.ts';

/**
 * A destination to which a CVV is about to be sent. `data` is its host name, user ID or gateway, and the policy of a
 * CVV may allow only certain values of it.
 */
export interface CvvDestination {
	readonly type: CvvDestinationType;
	readonly data: string;
}

/** An unsealed CVV that is about to be sent. The caller that receives it wipes it. */
export interface OpenedCvv {
	readonly digits: Buffer;
	/** How the file spelled the CVV that it comes from. */
	readonly spelling: CvvSpelling;
	/** The time at which the CVV expires; whoever receives it may not keep it any longer. */
	readonly endsAtMs: number;
	wipe(): void;
}

export interface CvvPolicy {
	readonly endsAt: Date;
	readonly deletesCard: boolean;
	/**
	 * Lists the allowed destinations, each with its own number of uses. If the list is empty, every destination is
	 * allowed, with `usesLeft` uses for all of them together.
	 */
	readonly destinations: readonly CvvDestinationRow[];
	readonly usesLeft: number;
}

type Place = Pick<Resolved, 'page' | 'slot'>;

/** Describes what else happens in the transaction that stores a CVV. */
export interface KeptWith {
	/** The change as the audit trail shows it. */
	readonly told?: Change;
	/** Writes further rows. If it throws, the whole transaction is rolled back. */
	readonly alongside?: (transaction: Knex.Transaction) => Promise<void>;
}

export function cvvVault(parts: { database: Database; keyRing: KeyRing; clock: Clock; onChanged?: OnChanged }) {
	const { database, keyRing, clock, onChanged } = parts;
	const hasEnded = ({ uses_left, ends_at }: CvvRow) => uses_left === EMPTIED || ends_at <= clock.now().getTime();
	/**
	 * Stores a CVV for a card that is in the vault, and replaces any CVV the card had. Returns false if the card is gone.
	 */
	const keep = async (
		place: Place,
		digits: Buffer,
		policy: Omit<CvvPolicy, 'destinations'>,
		{ told, alongside }: KeptWith = {},
	): Promise<boolean> => {
		const { page, slot } = place;
		const accountId = page.account_id;
		const key = await keyRing.current('cvv', accountId);
		return withLockedPage(parts, page.id, async (locked, transaction, sealer) => {
			// The page may live on with other cards although this one was deleted.
			if (!locked?.content.find(slot)) return false;
			const version = await countOn(locked, slot);
			const row = {
				page_id: page.id,
				slot,
				account_id: accountId,
				key_id: key.id,
				version,
				sealed: sealCvv(key, digits, { accountId, page: page.id, slot }),
				ends_at: policy.endsAt.getTime(),
				delete_card: policy.deletesCard ? 1 : 0,
				uses_left: policy.usesLeft,
			} as const;
			const store = cvvStore(transaction, database.dialect);
			await store.insert({ ...row, ...sealer.seal(sealedCvvs, row, besideCvv([])) });
			await store.replaceDestinations(page.id, slot, []);
			await alongside?.(transaction);
			if (told) await onChanged?.({ ...told, accountId: place.page.account_id }, transaction);
			return true;
		});
	};
	/**
	 * Opens a CVV for one use. The use is counted under a lock before the CVV is returned, and it counts even if the
	 * caller fails afterwards; the last use destroys the CVV. Returns undefined if there is no CVV, if it has expired, or
	 * if its policy does not allow the destination. A destination may have several names, for example its host and the
	 * user who makes the call. One allowed name is enough, and the use is counted for the first one that is allowed.
	 */
	const use = async (place: Place, ...ways: readonly CvvDestination[]): Promise<OpenedCvv | undefined> => {
		// The key is fetched before the transaction, because SQLite's only connection is taken during the transaction.
		const before = await cvvStore(database.knex, database.dialect).find(place.page.id, place.slot);
		if (!before) return undefined;
		const key = await keyRing.byId(before.key_id);
		const used = await withKeptCvv(parts, place, async (kept) => {
			if (!kept || hasEnded(kept.row)) return undefined;
			if (kept.row.key_id !== key.id) return 'resealed' as const;
			const { row, destinations } = kept;
			const counted =
				destinations.length > 0 ? findFirst(ways, (way) => findDestination(destinations, way)) : undefined;
			if (destinations.length > 0 ? !counted : row.uses_left <= 0) return undefined;
			const opened = openCvv(key, row.sealed, {
				accountId: row.account_id,
				page: row.page_id,
				slot: row.slot,
			});
			if (isUsedUp(row, destinations, counted)) await kept.destroy();
			else if (counted) {
				await kept.change(
					{},
					destinations.map((each) => (each === counted ? { ...each, used: each.used + 1 } : each)),
				);
			} else await kept.change({ uses_left: row.uses_left - 1 }, destinations);
			return { ...opened, endsAtMs: row.ends_at };
		});
		// A sweep may seal the CVV under another key after its row was first read. Nothing was counted then.
		return used === 'resealed' ? use(place, ...ways) : used;
	};
	/** Returns the policy of a card's CVV, or undefined if no CVV is kept. */
	const findPolicy = async ({ page: { id }, slot }: Place): Promise<CvvPolicy | undefined> => {
		const { knex, dialect } = database;
		// The page is read first and the row of the CVV second. So a valid row may be newer than the page that was read,
		// but never older.
		const [page] = await pageStore(knex, dialect).findPages([id]);
		if (!page) return undefined;
		const content = await openPageRow(keyRing, page);
		const memory = content.memory();
		content.wipe();
		const store = cvvStore(knex, dialect);
		const row = await store.find(id, slot);
		if (!row || hasEnded(row)) return undefined;
		const destinations = await store.listDestinations(id, slot);
		// If the CVV is used between the queries for its row and its destinations, the two do not fit together, which looks
		// like tampering. In that case everything is read again.
		const isMeanwhile = (await store.find(id, slot))?.version !== row.version;
		if (isMeanwhile) return findPolicy({ page: page, slot });
		const isGood = await keyRing.seals.withSealer((sealer) => isKept(sealer, row, destinations, memory));
		return isGood ? policyOf(row, destinations) : undefined;
	};
	return {
		keep,
		/** Stores a CVV for a card under the default policy (shapes §3). Returns false if the card is gone. */
		async keepByDefault(place: Place, cvv: Cvv, more?: KeptWith): Promise<boolean> {
			const digits = Buffer.from(cvv.reveal());
			const endsAt = new Date(defaultCvvEnd(clock.now().getTime()));
			try {
				return await keep(place, digits, { endsAt, deletesCard: false, usesLeft: DEFAULT_CVV_USES }, more);
			} finally {
				digits.fill(0);
			}
		},
		use,
		findPolicy,
		/**
		 * Replaces the policy of a kept CVV by the policy that `change` returns for the current one. It takes the same lock
		 * as counting a use does, and uses that were already counted stay counted. If the new policy leaves no use, the CVV
		 * is destroyed. Returns false if no CVV is kept.
		 */
		async changePolicy(place: Place, change: (current: CvvPolicy) => CvvPolicy, told?: Change): Promise<boolean> {
			return withKeptCvv(parts, place, async (kept, transaction) => {
				if (!kept || hasEnded(kept.row)) return false;
				const { endsAt, deletesCard, usesLeft, destinations } = change(policyOf(kept.row, kept.destinations));
				const policy = { ends_at: endsAt.getTime(), delete_card: deletesCard ? 1 : 0, uses_left: usesLeft } as const;
				if (isUsable({ destinations, usesLeft })) await kept.change(policy, destinations);
				else await kept.destroy(policy);
				if (told) await onChanged?.({ ...told, accountId: place.page.account_id }, transaction);
				return true;
			});
		},
		/**
		 * Destroys a CVV, and returns whether its policy requires that the card is removed too. If the caller does not remove
		 * the card, retention does.
		 */
		async destroy(place: Place, told?: Change): Promise<{ takesCard: boolean }> {
			return withKeptCvv(parts, place, async (kept, transaction) => {
				await kept?.destroy();
				if (told) await onChanged?.({ ...told, accountId: place.page.account_id }, transaction);
				// If the CVV is already destroyed and only its card is still there, the rest of the row says so.
				const row = kept?.row ?? (await cvvStore(transaction, database.dialect).find(place.page.id, place.slot));
				return { takesCard: row?.delete_card === 1 };
			});
		},
		/**
		 * Runs `work` in a transaction and hands it a function that destroys the CVV of a card. The CVV is destroyed only if
		 * everything else in the transaction is committed too.
		 */
		async transact<T>(
			{ page, slot }: { page: number; slot: number },
			work: (transaction: Knex.Transaction, destroy: () => Promise<void>) => Promise<T>,
		): Promise<T> {
			return withKeptCvv(parts, { page: { id: page }, slot }, (kept, transaction) =>
				work(transaction, async () => {
					await kept?.destroy();
				}),
			);
		},
		/**
		 * Destroys CVVs that have expired, and returns the cards that have to be removed together with their CVV. The emptied
		 * row of such a CVV stays until `forget` is called, so that after a crash the next run finds the card again.
		 * Retention calls this method with what the last step has `reached`, until nothing is left.
		 */
		async destroyEnded(limit = 1000, after?: EndedCvvs['reached']): Promise<EndedCvvs> {
			return destroyEndedCvvs(parts, limit, after);
		},
		/**
		 * Deletes the emptied row of a destroyed CVV after its card was removed too. If a CVV was stored for the card since,
		 * its row stays.
		 */
		async forget({ page, slot }: { page: number; slot: number }): Promise<void> {
			await cvvStore(database.knex, database.dialect).removeEmptied(page, slot);
		},
	};
}

/** Tells whether a policy leaves any use of the CVV. Without one, the CVV is destroyed. */
export function isUsable({ destinations, usesLeft }: Pick<CvvPolicy, 'destinations' | 'usesLeft'>): boolean {
	return destinations.length > 0 ? destinations.some(({ used, quota }) => used < quota) : usesLeft > 0;
}

/** Returns the policy that the row of a CVV stands for. */
export function policyOf(row: CvvRow, destinations: readonly CvvDestinationRow[]): CvvPolicy {
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

/**
 * Finds the destination in a policy that has the wanted name and uses left. If there is none, it finds the one that
 * allows any name of the type. That one is taken second, because other names share its uses.
 */
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

/**
 * Returns whether a CVV is used up after one more use. That use counts for the destination `counted`. If `counted` is
 * absent, the policy has no destinations, and the use counts for the CVV as a whole (`uses_left`).
 */
function isUsedUp(row: CvvRow, destinations: readonly CvvDestinationRow[], counted?: CvvDestinationRow): boolean {
	if (!counted) return row.uses_left <= 1;
	return destinations.every((each) => each.used + (each === counted ? 1 : 0) >= each.quota);
}
