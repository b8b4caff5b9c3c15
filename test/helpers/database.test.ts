import test from 'ava';
import { readSchema } from '../../src/base/database/schema.ts';
import { databases, openTestDatabase } from './database.ts';

for (const dialect of databases) {
	test(`a test database on ${dialect} is migrated, empty and nobody else's`, async (t) => {
		const [one, other] = await Promise.all([openTestDatabase(t, dialect), openTestDatabase(t, dialect)]);
		t.is(one.dialect, dialect);
		t.deepEqual((await readSchema(one)).missing, []);
		await one.knex('counters').insert({ name: 'pages', next: 1 });
		t.is((await one.knex('counters')).length, 1);
		t.is((await other.knex('counters')).length, 0);
	});
}
