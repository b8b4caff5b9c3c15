// Moves sealed data to the current keys after a key rotation. It works page by page and checks the versions of pages
// and rows, so the vault may be in use meanwhile, and the sweep may be stopped and started again at any step.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { generationsAt, IN_USE_AFTER_MS } from '../../base/keys/generations.ts';
import type { KeyRing, SealingKey } from '../../base/keys/key-ring.ts';
import { fingerprintValues, insertCardRows } from '../cards/card-rows.ts';
import { fingerprintOf } from '../cards/fingerprint.ts';
import { fingerprintStore } from '../cards/fingerprint-store.ts';
import { resealCvv } from '../cvvs/cvv-seal.ts';
import { type CvvRow, cvvStore, EMPTIED } from '../cvvs/cvv-store.ts';
import { besideCvv, sealedCvvs } from '../sealed-rows.ts';
import { sealPage } from './page-codec.ts';
import { openUnlessDamaged } from './page-row.ts';
import { type PageRow, pageStore } from './page-store.ts';
import { PAGE_KINDS, type PageKind } from './record-codec.ts';

const ROWS_PER_STEP = 64;

export interface SweepProgress {
	readonly accountId: AccountId;
	readonly pages: number;
	readonly cvvs: number;
	readonly fingerprints: number;
	/** The number of pages that no key opens. They stay as they are, and so do the fingerprints of their cards. */
	readonly damaged: number;
}

/**
 * Seals everything again that older keys of the given accounts seal. It works in small transactions and yields after
 * each. To stop the sweep, end the iteration: nothing is lost, and the next sweep continues with the data that older
 * keys still seal.
 */
export async function* sweep(
	parts: { database: Database; keyRing: KeyRing; clock?: Clock },
	accountIds: readonly AccountId[],
): AsyncGenerator<SweepProgress> {
	for (const accountId of accountIds) {
		const counts = { pages: 0, cvvs: 0, fingerprints: 0 };
		const damaged = new Set<number>();
		const ofPages = Object.values(PAGE_KINDS).map((kind) => sweepPages(parts, accountId, kind, damaged));
		const sweeps = [
			...ofPages.map((steps) => ['pages', steps] as const),
			['cvvs', sweepCvvs(parts, accountId)] as const,
			['fingerprints', sweepFingerprints(parts, accountId, damaged)] as const,
		];
		for (const [what, steps] of sweeps) {
			for await (const count of steps) {
				counts[what] += count;
				yield { accountId, ...counts, damaged: damaged.size };
			}
		}
	}
}

async function* sweepPages(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	accountId: AccountId,
	kind: PageKind,
	damaged: Set<number>,
): AsyncGenerator<number> {
	const key = await keyRing.current('data', accountId);
	for (let after = 0; ; ) {
		const store = pageStore(database.knex, database.dialect);
		const rows = await store.listPagesUnderOldKeys(accountId, kind, key.id, after, ROWS_PER_STEP);
		if (rows.length === 0) return;
		const resealed: { row: PageRow; sealed: Buffer }[] = [];
		for (const row of rows) {
			const content = await openUnlessDamaged(keyRing, row);
			if (!content) {
				damaged.add(row.id);
				continue;
			}
			resealed.push({ row, sealed: sealPage(key.secret, content.whole(), row.id, row.account_id, key.id) });
			content.wipe();
		}
		const moved = await transact(database, async (transaction) => {
			const within = pageStore(transaction, database.dialect);
			let count = 0;
			for (const { row, sealed } of resealed) {
				// A page that was changed in the meantime is not replaced. The change has already sealed it under the current
				// key.
				if (await within.replaceSealed(row, sealed, key.id, row.live)) count++;
			}
			return count;
		});
		after = rows[rows.length - 1].id;
		yield moved;
	}
}

async function* sweepCvvs(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	accountId: AccountId,
): AsyncGenerator<number> {
	const key = await keyRing.current('cvv', accountId);
	const store = cvvStore(database.knex, database.dialect);
	for (let after: CvvRow | undefined; ; ) {
		const rows = await store.listUnderOldKeys(accountId, key.id, after, ROWS_PER_STEP);
		if (rows.length === 0) return;
		let count = 0;
		for (const row of rows) if (await moveCvv(keyRing, store, key, row)) count++;
		after = rows.at(-1);
		yield count;
	}
}

/**
 * Seals a CVV under `key`, and returns whether it did. A row that was tampered with is removed. A row whose seal was made
 * with an unknown key is left as it is, because it may be valid.
 */
async function moveCvv(
	keyRing: KeyRing,
	store: ReturnType<typeof cvvStore>,
	key: SealingKey,
	listed: CvvRow,
): Promise<boolean> {
	// The CVV may be used while it is moved. Its row is then read again, with its new version.
	for (let row: CvvRow | undefined = listed; row; row = await store.find(row.page_id, row.slot)) {
		if (row.key_id >= key.id || row.uses_left <= EMPTIED) return false;
		const place = { accountId: row.account_id, page: row.page_id, slot: row.slot };
		const beside = besideCvv(await store.listDestinations(row.page_id, row.slot));
		// If the CVV was used since its row was read, row and destinations do not fit together, which looks like tampering.
		if (!(await store.isSame(row))) continue;
		const checked: CvvRow = row;
		const found = await keyRing.seals.withSealer((sealer) => {
			if (sealer.isIntact(sealedCvvs, checked, { beside })) return { sealer };
			return sealer.hasUnknownKey(checked) ? 'unknown' : 'altered';
		});
		if (found === 'unknown') return false;
		if (found === 'altered') {
			if (await store.isSame(row)) await store.remove(row.page_id, row.slot);
			return false;
		}
		const sealed = resealCvv(await keyRing.byId(row.key_id), key, row.sealed, place);
		const next = { ...row, sealed, key_id: key.id };
		const seal = found.sealer.seal(sealedCvvs, next, beside);
		if (await store.replace(row, { ...next, ...seal })) return true;
	}
	return false;
}

/**
 * Computes the fingerprints of older generations again, under the newest key. Before that, it waits until every daemon
 * looks cards up by the newest generation too; otherwise a daemon would not find a card and would store it a second
 * time.
 */
async function* sweepFingerprints(
	{ database, keyRing, clock = systemClock }: { database: Database; keyRing: KeyRing; clock?: Clock },
	accountId: AccountId,
	damaged: Set<number>,
): AsyncGenerator<number> {
	const { knex, dialect } = database;
	const keys = await keyRing.all('fingerprint', accountId);
	if (keys.length === 1) return;
	const now = clock.now().getTime();
	const wait = Math.min(Math.max(0, keys[0].createdAt + IN_USE_AFTER_MS - now), IN_USE_AFTER_MS);
	await sleep(wait);
	const { writer: key } = generationsAt(keys, now + wait);
	const range = { after: 0, last: Number.MAX_SAFE_INTEGER };
	for (;;) {
		const pages = await pageStore(knex, dialect).listPages(accountId, PAGE_KINDS.cards, range, ROWS_PER_STEP);
		if (pages.length === 0) return;
		range.after = pages[pages.length - 1].id;
		const ids = pages.map(({ id }) => id);
		const older = await fingerprintStore(knex, dialect).listOlder(ids, key.generation);
		if (older.length === 0) continue;
		const made = await fingerprintsOn(keyRing, key, pages, older, damaged);
		const whole = ids.filter((id) => !damaged.has(id));
		yield await transact(database, async (transaction) => {
			// Only fingerprints that were still there are replaced. A fingerprint that was deleted with its card in the
			// meantime is not inserted again. A deletion that begins now waits for the lock of the page, and then finds the
			// new fingerprint. The next sweep comes back to pages that others have locked.
			const within = fingerprintStore(transaction, dialect);
			const locked: number[] = [];
			for (const id of whole) if (await within.lockPage(id)) locked.push(id);
			const taken = await within.takeOlder(locked, key.generation);
			const rows = taken.flatMap(({ page_id, slot }) => {
				const own = made.get(`${page_id}/${slot}`);
				if (!own) return [];
				return [fingerprintValues(accountId, { page: page_id, slot }, { own, generation: key.generation })];
			});
			await insertCardRows(transaction, 'fingerprints', rows);
			return rows.length;
		});
	}
}

/**
 * Computes the fingerprints of the cards in these places under the given key. The keys of the map are `page/slot`; a
 * card that no longer exists is left out, and so are those on damaged pages, which are added to `damaged`.
 */
async function fingerprintsOn(
	keyRing: KeyRing,
	key: SealingKey,
	pages: readonly PageRow[],
	places: readonly { readonly page_id: number; readonly slot: number }[],
	damaged: Set<number>,
): Promise<Map<string, Buffer>> {
	const made = new Map<string, Buffer>();
	const slots = Map.groupBy(places, ({ page_id }) => page_id);
	for (const page of pages) {
		if (!slots.has(page.id)) continue;
		const content = await openUnlessDamaged(keyRing, page);
		if (!content) {
			damaged.add(page.id);
			continue;
		}
		for (const { slot } of slots.get(page.id)!) {
			const card = content.find(slot);
			if (card) made.set(`${page.id}/${slot}`, fingerprintOf(key, card));
		}
		content.wipe();
	}
	return made;
}
