// Compares docs/database.md with the schema that the migrations make.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { openTestDatabase } from '../helpers/database.ts';

/** Returns the names in backquotes of a text. */
function quotedIn(text: string): string[] {
	return [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
}

/** Reads the rows of the page: the tables that each row is about, and the names that its notes mention. */
function readPage() {
	const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
	return page.split('\n').flatMap((line) => {
		const [, tables, ...texts] = line.split(/(?<!\\)\|/);
		return line.startsWith('| `') ? [{ tables: quotedIn(tables), mentioned: quotedIn(texts.join('|')) }] : [];
	});
}

test('docs/database.md lists every table, and no others', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const names: string[] = await knex('sqlite_master').where({ type: 'table' }).pluck('name');
	const tables = names.filter((name) => !name.startsWith('sqlite_'));
	t.deepEqual(
		readPage()
			.flatMap((row) => row.tables)
			.sort(),
		tables.sort(),
	);
});

test('the columns that docs/database.md mentions exist in the table of which it tells', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const named = new Set<string>(await knex('sqlite_master').whereIn('type', ['table', 'index']).pluck('name'));
	for (const { tables: ofRow, mentioned } of readPage()) {
		const columns = new Set<string>();
		for (const table of ofRow) for (const name of Object.keys(await knex(table).columnInfo())) columns.add(name);
		// Names with an underscore are columns, tables or indexes; others may be values.
		const lost = mentioned.filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name) && !columns.has(name) && !named.has(name));
		t.deepEqual(lost, [], ofRow.join());
	}
});
