import type { Database } from '../src/base/database/open.ts';

const ROWS_AT_ONCE = 250_000;

/** Has the database itself make rows of a table. The columns are expressions of SQL, in which `n` counts the rows from 0. */
export async function fillTable(
	{ knex }: Pick<Database, 'knex'>,
	table: string,
	rows: number,
	columns: Readonly<Record<string, string>>,
): Promise<void> {
	for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
		const to = Math.min(rows, from + ROWS_AT_ONCE);
		await knex.raw(
			`insert into ${table} (${Object.keys(columns).join(', ')})
			 with recursive numbers(n) as (select cast(${from} as bigint) union all select n + 1 from numbers where n + 1 < ${to})
			 select ${Object.values(columns).join(', ')} from numbers`,
		);
	}
}
