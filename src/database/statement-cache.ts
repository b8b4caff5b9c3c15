/** The part of better-sqlite3's connection that compiles SQL. */
interface Preparing {
	prepare(sql: string): unknown;
}

const MAX_STATEMENTS = 500;
/** Inserts of many rows have a text of their own for every number of rows: keeping them would push out the others. */
const MAX_SQL_CHARACTERS = 2_000;

/**
 * Makes a connection remember what it compiled. knex asks for the same few statements anew every time, which for a short
 * one costs more than running it. SQLite recompiles a remembered one by itself when the schema changes.
 */
export function cacheStatements(connection: Preparing): void {
	const prepare = connection.prepare.bind(connection);
	const known = new Map<string, unknown>();
	connection.prepare = (sql) => {
		const remembered = known.get(sql);
		const statement = remembered ?? prepare(sql);
		if (sql.length > MAX_SQL_CHARACTERS) return statement;
		// What was used least lately goes.
		if (remembered !== undefined) known.delete(sql);
		else if (known.size === MAX_STATEMENTS) known.delete(known.keys().next().value as string);
		known.set(sql, statement);
		return statement;
	};
}
