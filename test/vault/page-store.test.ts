import test from 'ava';
import fc from 'fast-check';
import { bulkInsert } from '../../src/base/database/bulk-insert.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { PAGE_COLUMNS, pageStore } from '../../src/vault/pages/page-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const OWNER = 1 as AccountId;
const PAGES = 6000;
const EVERYWHERE = { after: 0, last: Number.MAX_SAFE_INTEGER };

for (const dialect of databases) {
	test(`${dialect}: the page before a token is found however long the account and however full its pages`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = pageStore(database.knex, dialect);
		// The ids have holes, as when accounts share a counter; every third page holds data blocks or is another account's.
		const mine: { id: number; live: number }[] = [];
		const rows = Array.from({ length: PAGES }, (_, n) => {
			const id = n * 7 + 1;
			const live = 1 + (n % 32);
			const [account, kind] = n % 3 !== 0 ? [1, 0] : n % 2 === 0 ? [1, 1] : [2, 0];
			if (account === 1 && kind === 0) mine.push({ id, live });
			return [id, account, account, 1, Buffer.alloc(8), 32, live, Buffer.alloc(1), null, 0, 1, kind, 1];
		});
		t.is(rows[0].length, PAGE_COLUMNS.length);
		await bulkInsert(database.knex, dialect, 'pages', PAGE_COLUMNS)(rows);
		const total = mine.reduce((sum, { live }) => sum + live, 0);
		const check = async (from: number) => {
			const { page, skipped } = await store.findPageBefore(OWNER, 0, from, EVERYWHERE);
			const before = mine.filter(({ id }) => id <= page);
			t.is(
				skipped,
				before.reduce((sum, { live }) => sum + live, 0),
			);
			const next = mine[before.length];
			t.true(skipped <= from && (next === undefined || skipped + next.live > from), `from ${from}`);
		};
		for (const from of [0, 1, total - 1, total, total + 1, Number.MAX_SAFE_INTEGER]) await check(from);
		await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: total }), check), { numRuns: 30 });
		t.deepEqual(await store.findPageBefore(9 as AccountId, 0, 5, EVERYWHERE), { page: 0, skipped: 0 });
	});
}
