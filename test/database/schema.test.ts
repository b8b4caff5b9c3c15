// For the time of an upgrade, two versions work on one database.

import test from 'ava';
import { migrations } from '../../src/base/database/migrations/index.ts';
import type { Migration } from '../../src/base/database/migrations/migration.ts';
import {
	kindOf,
	migrate,
	neededOf,
	readSchema,
	requireNothingChanged,
	upgradeNotice,
} from '../../src/base/database/schema.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

const expand: Migration = {
	name: '9001-later.expand',
	up: (knex) => knex.schema.createTable('of_later', (table) => void table.integer('id').primary()),
};
const contract: Migration = { name: '9002-later.contract', up: (knex) => knex.schema.dropTable('write_checks') };
const later = [...migrations, expand, contract];
const refusal = { message: /of a later version, which added 9002-later\.contract: run that version or a later one/ };

for (const dialect of coreDatabases) {
	test(`${dialect}: what a later version only adds leaves this one at work, and what it removes stops it`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		t.deepEqual(await readSchema(database), { missing: [], later: [] });
		t.deepEqual(await migrate(database, { steps: later, expandOnly: true }), [expand.name]);
		t.deepEqual(await migrate(database, { steps: later, expandOnly: true }), [], 'it stops before what removes');

		const state = await readSchema(database);
		t.deepEqual(state, { missing: [], later: [expand.name] });
		t.notThrows(() => requireNothingChanged(state));
		t.deepEqual(await migrate(database), [], 'the earlier version has nothing to do');
		t.regex(
			upgradeNotice(state)!.says,
			/a later version has added 9001-later\.expand; this version works on beside it/,
		);

		const ofLater = await readSchema(database, later);
		t.deepEqual(ofLater, { missing: [contract.name], later: [] });
		t.deepEqual(neededOf(ofLater), [], 'the later version works before what removes is run');
		t.regex(upgradeNotice(ofLater)!.says, /9002-later\.contract is not run yet/);

		const busy = new Error('an earlier daemon runs');
		const beforeChange = async (last: string) => {
			t.is(last, contract.name);
			throw busy;
		};
		t.is(await t.throwsAsync(migrate(database, { steps: later, beforeChange })), busy);
		t.deepEqual((await readSchema(database, later)).missing, [contract.name]);
		t.deepEqual(await migrate(database, { steps: later }), [contract.name]);
		t.deepEqual(await readSchema(database, later), { missing: [], later: [] });
		t.throws(() => requireNothingChanged({ later: [expand.name, contract.name] }), refusal);
		await t.throwsAsync(migrate(database), refusal);
	});

	test(`${dialect}: what only adds needs no question, and is run together with what is missing before it`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const asked: string[] = [];
		const beforeChange = async (last: string) => void asked.push(last);
		t.deepEqual(await migrate(database, { steps: [...migrations, expand], beforeChange }), [expand.name]);
		t.deepEqual(asked, []);
	});
}

test('every migration says what it means for earlier versions, and has its own number', (t) => {
	const kinds = migrations.map(({ name }) => [name.slice(0, 4), kindOf(name)] as const);
	t.is(new Set(kinds.map(([number]) => number)).size, migrations.length);
	t.deepEqual(
		kinds.map(([number]) => Number(number)),
		kinds.map((_, i) => i + 1),
	);
	for (const [number, kind] of kinds) t.is(kind === 'whole', number <= '0013', number);
});
