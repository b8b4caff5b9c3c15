// Moves sealed things to the current keys after a rotation: page by page, guarded by version, so it may run beside
// everything else, be stopped at any step and started again anywhere.

import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { openCvv, sealCvv } from './cvv-seal.ts';
import { cvvStore } from './cvv-store.ts';
import { openPage, sealPage } from './page-codec.ts';
import { pageStore } from './page-store.ts';
import { PAGE_KINDS, type PageKind } from './record-codec.ts';
import { besideCvv, sealedCvvs } from './sealed-rows.ts';

const ROWS_PER_STEP = 64;

export interface SweepProgress {
	readonly accountId: AccountId;
	readonly pages: number;
	readonly cvvs: number;
}

/**
 * Re-seals everything of the given accounts that an older key holds, in small transactions; yields after each. Stop by
 * ending the iteration: nothing is lost, the next sweep goes on where old keys still seal something.
 */
export async function* sweep(
	rooms: { readonly database: Database; readonly keyRing: KeyRing },
	accountIds: readonly AccountId[],
): AsyncGenerator<SweepProgress> {
	for (const accountId of accountIds) {
		let pages = 0;
		let cvvs = 0;
		for (const kind of Object.values(PAGE_KINDS)) {
			for await (const count of sweepPages(rooms, accountId, kind)) {
				pages += count;
				yield { accountId, pages, cvvs };
			}
		}
		for await (const count of sweepCvvs(rooms, accountId)) {
			cvvs += count;
			yield { accountId, pages, cvvs };
		}
	}
}

async function* sweepPages(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	accountId: AccountId,
	kind: PageKind,
): AsyncGenerator<number> {
	const key = await keyRing.current('data', accountId);
	for (let after = 0; ; ) {
		const store = pageStore(database.knex, database.dialect);
		const rows = await store.listPagesUnderOldKeys(accountId, kind, key.id, after, ROWS_PER_STEP);
		if (rows.length === 0) return;
		const resealed: Buffer[] = [];
		for (const row of rows) {
			const old = await keyRing.byId(row.key_id);
			const content = openPage(old.secret, row.sealed, row.id, row.account_id, row.key_id);
			resealed.push(sealPage(key.secret, content.whole(), row.id, row.account_id, key.id));
			content.wipe();
		}
		const moved = await transact(database, async (transaction) => {
			const within = pageStore(transaction, database.dialect);
			let count = 0;
			for (const [index, row] of rows.entries()) {
				// A page that changed meanwhile was sealed under the current key by whoever changed it.
				if (await within.replaceSealed(row, resealed[index], key.id, row.live)) count++;
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
	for (;;) {
		const rows = await store.listUnderOldKeys(accountId, key.id, ROWS_PER_STEP);
		if (rows.length === 0) return;
		let count = 0;
		const sealer = await keyRing.seals.sealer();
		for (const row of rows) {
			const place = { accountId, page: row.page_id, slot: row.slot };
			const destinations = await store.listDestinations(row.page_id, row.slot);
			if (!sealer.isIntact(sealedCvvs, row, { beside: besideCvv(destinations) })) {
				// A use in between looks the same; then the next look finds it, or finds it gone.
				if (await store.isSame(row)) await store.remove(row.page_id, row.slot);
				continue;
			}
			const { digits, isBare } = openCvv(await keyRing.byId(row.key_id), row.sealed, place);
			const next = { ...row, sealed: sealCvv(key, digits, isBare, place), key_id: key.id };
			const seal = sealer.seal(sealedCvvs, next, besideCvv(destinations));
			if (await store.replace(row, { ...next, ...seal })) count++;
			digits.fill(0);
		}
		yield count;
	}
}
