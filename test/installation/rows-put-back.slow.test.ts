// Somebody who can write the database, but has no keys, cannot bring an earlier version of a row back to life.

import test from 'ava';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { sealedTables } from '../../src/installation/keys/sealed-tables.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { putBackStories } from '../helpers/put-back-stories.ts';

for (const dialect of databases) {
	for (const shape of sealedTables) {
		for (const [nth, tell] of (putBackStories[shape.table] ?? []).entries()) {
			test(`${dialect}: a row of ${shape.table} that is put back grants nothing (${nth + 1})`, async (t) => {
				const parts = await openPortalApp(t, dialect);
				const { knex } = parts.database;
				const story = await tell(parts);
				const before = await knex(shape.table);
				const broken: BrokenRow[] = [];
				parts.keyRing.seals.onBroken((row) => void broken.push(row));
				const putBack = async () => {
					await knex(shape.table)
						.insert(before)
						.onConflict([...shape.id])
						.merge(story.columns && [...story.columns]);
				};
				t.true(await story.works());
				await story.end?.();
				t.false(await story.works());
				t.deepEqual(broken, [], 'nothing was put back so far');
				await putBack();
				t.false(await story.works());
				const told = new Set(broken.map(({ table, why }) => `${table} ${why}`));
				t.deepEqual([...told], [`${shape.table} ${story.columns ? 'altered' : 'put-back'}`]);

				// The entry of the register is removed too: this process still knows of it.
				await knex('ended_rows').delete();
				t.false(await story.works());
			});

			test(`${dialect}: a row of ${shape.table} that ended can be made again (${nth + 1})`, async (t) => {
				const story = await tell(await openPortalApp(t, dialect));
				const { again } = story;
				for (let times = 0; times < (again ? 3 : 1); times++) {
					t.true(await story.works());
					await story.end?.();
					t.false(await story.works());
					await again?.();
				}
				t.is(await story.works(), again !== undefined);
			});
		}
	}
}

test('every table with seals says what knows its current rows, and every one whose rows end has a story here', (t) => {
	for (const { table, columns, freshness } of sealedTables) {
		if (freshness.by === 'nothing') {
			t.regex(freshness.because, /^[a-z].{30,}[^.]$/, table);
			continue;
		}
		if (freshness.generation !== undefined) t.true(columns.includes(freshness.generation), table);
		if (freshness.by === 'ended-rows') {
			t.true((putBackStories[table] ?? []).length > 0, `${table} has no story`);
			if (freshness.until !== undefined) t.true(columns.includes(freshness.until), table);
		} else t.true(['associations', 'cvvs'].includes(table), `${table}: row-seals.test.ts has no test for it`);
	}
});
