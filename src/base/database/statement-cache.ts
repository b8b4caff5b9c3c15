/** This is the part of better-sqlite3's connection that compiles SQL. */
interface Preparing {
	prepare(sql: string): unknown;
}

const MAX_STATEMENTS = 500;
/**
 * Statements longer than this are not kept. Inserts of many rows have a different text for every number of rows, and
 * keeping those would push out the others.
 */
const MAX_SQL_CHARACTERS = 2_000;

/**
 * Makes a connection remember compiled statements. knex compiles the same few statements every time, which costs more
 * than running a short one. SQLite recompiles a remembered statement itself when the schema changes.
 */
export function cacheStatements(connection: Preparing): void {
	const prepare = connection.prepare.bind(connection);
	const known = new Map<string, unknown>();
	connection.prepare = (sql) => {
		const remembered = known.get(sql);
		const statement = remembered ?? prepare(sql);
		if (sql.length > MAX_SQL_CHARACTERS) return statement;
		// A statement that is used again moves to the end of the map. If the cache is full, the first one, which was not
		// used for the longest time, is removed.
		if (remembered !== undefined) known.delete(sql);
		else if (known.size === MAX_STATEMENTS) known.delete(known.keys().next().value as string);
		known.set(sql, statement);
		return statement;
	};
}
