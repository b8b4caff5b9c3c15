import test from 'ava';
import fc from 'fast-check';
import type { AccountId } from '../../src/base/database/ids.ts';
import { type Asked, eliminationStore } from '../../src/vault/cards/elimination-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const LIMIT = 3;
const numbers = fc.uniqueArray(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: LIMIT + 1 });
/** A window may have so many pairs that they are stored in chunks of every size, and a rest. */
const window = fc.array(numbers, { minLength: 1, maxLength: 600 });

for (const dialect of databases) {
	test(`${dialect}: windows of any number of pairs are counted as if each number came alone`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = eliminationStore(database);
		let account = 0;
		const property = fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 4 }), async (windows) => {
			const scope = { accountId: ++account as AccountId, day: 20_000 };
			const seen = new Map<number, Set<number>>();
			for (const pairs of windows) {
				const asked: Asked = pairs.map((each, nth) => [nth - 300, [...each].sort((a, b) => a - b)]);
				const expected: number[] = [];
				for (const [near, each] of asked) {
					const known = seen.get(near) ?? new Set();
					seen.set(near, known);
					for (const number of each) if (known.size <= LIMIT) known.add(number);
					if (known.size > LIMIT) expected.push(near);
				}
				const passed = await store.note(scope, asked, LIMIT);
				if (passed.sort((a, b) => a - b).join() !== expected.join()) return false;
			}
			const [{ rows }] = await database
				.knex('elimination_attempts')
				.where({ account_id: account })
				.count({ rows: '*' });
			const kept = [...seen.values()].reduce((sum, { size }) => sum + size, 0);
			return dialect === 'postgres' ? Number(rows) >= kept : Number(rows) === kept;
		});
		await t.notThrowsAsync(fc.assert(property, { numRuns: 25 }));
	});
}
