// Spreads the tables that grow with every card over the servers of a Citus cluster, and finds out which servers are away.
// All other tables stay on the coordinator.

import type { Knex } from 'knex';
import { inTime } from '../../threads/in-time.ts';
import { perDatabase } from '../gather.ts';
import type { Database } from '../open.ts';
import { execute, queryRows, type SqlTarget } from '../sql.ts';

/**
 * Each table that is spread, with the column that says where a row is: the page, so that a page and everything beside it
 * are on one server. Every unique key of them has the column.
 */
export const DISTRIBUTED_TABLES = {
	pages: 'id',
	token_refs: 'page_id',
	fingerprints: 'page_id',
	associations: 'page_id',
	cvvs: 'page_id',
	cvv_destinations: 'page_id',
} as const satisfies Readonly<Record<string, string>>;

/** The table beside whose rows those of the others are. */
const FIRST_TABLE = 'pages' satisfies keyof typeof DISTRIBUTED_TABLES;

/**
 * The table that every server has as a whole: the ids of pages that may still be dropped. A server so knows of its own pages
 * which of them are not to be shown, at the same moment at which it reads them.
 */
const REFERENCE_TABLE = 'page_blocks';

/**
 * The table of the coordinator that Citus has to know. A transaction that changes it and rows of another server is then
 * committed on both or on neither. Each one that records something in the trail moves an end of it, which is a row here.
 */
const KNOWN_TABLE = 'audit_head';

type Handle = Pick<Database, 'knex' | 'dialect'>;

export interface Cluster {
	readonly version: string;
	/** The servers that may have rows of tables that are spread, each as host and port. */
	readonly servers: readonly string[];
	readonly tables: readonly string[];
}

/** Returns the cluster whose coordinator the database is; undefined without Citus. */
export async function findCluster({ knex, dialect }: Handle): Promise<Cluster | undefined> {
	if (dialect === 'sqlite') return undefined;
	const [found] = await queryRows<{ version: string }>(
		knex,
		`select extversion as version from pg_extension where extname = 'citus'`,
	);
	if (!found) return undefined;
	const servers = await queryRows<{ name: string }>(
		knex,
		`select nodename || ':' || nodeport as name from pg_dist_node
			where isactive and noderole = 'primary' and shouldhaveshards order by nodeid`,
	);
	const tables = await queryRows<{ name: string }>(
		knex,
		`select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
			where c.relnamespace = current_schema()::regnamespace order by 1`,
	);
	const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
	return { ...found, servers: namesOf(servers), tables: namesOf(tables) };
}

/** What spreads each table, in the order in which they are spread. */
const STEPS: readonly { readonly table: string; readonly sql: string; readonly values: readonly string[] }[] = [
	...Object.entries(DISTRIBUTED_TABLES).map(([table, column]) => ({
		table,
		sql: 'select create_distributed_table(?, ?, colocate_with => ?)',
		values: [table, column, table === FIRST_TABLE ? 'none' : FIRST_TABLE],
	})),
	{ table: REFERENCE_TABLE, sql: 'select create_reference_table(?)', values: [REFERENCE_TABLE] },
	{ table: KNOWN_TABLE, sql: 'select citus_add_local_table_to_metadata(cast(? as regclass))', values: [KNOWN_TABLE] },
];

/** Lists the tables that are not spread yet. */
export function missingIn({ tables }: Pick<Cluster, 'tables'>): string[] {
	return STEPS.map(({ table }) => table).filter((table) => !tables.includes(table));
}

/**
 * Tells whether the coordinator passes settings of a transaction on to other servers. Then `synchronous_commit = off`, with
 * which rows of files are inserted, would hold there too, where no later commit makes them durable.
 */
export async function loosensCommits(on: SqlTarget): Promise<boolean> {
	const [{ passes }] = await queryRows<{ passes: boolean }>(
		on,
		`select coalesce(current_setting('citus.propagate_set_commands', true), 'none') <> 'none' as passes`,
	);
	return passes;
}

/**
 * Spreads every table that is not spread yet, in a transaction. Rows that it has are copied to their servers and removed
 * here. Whoever uses one of the tables waits. Returns the names of the tables that were changed.
 */
export async function distribute(transaction: Knex, { tables }: Pick<Cluster, 'tables'>): Promise<string[]> {
	const missing = missingIn({ tables });
	const due = STEPS.filter(({ table }) => missing.includes(table));
	for (const { table, sql, values } of due) {
		await execute(transaction, sql, values);
		if (table === KNOWN_TABLE) continue;
		// The rows that were there stay behind, where nobody sees them any more.
		const remove = 'select truncate_local_data_after_distributing_table(cast(? as regclass))';
		await execute(transaction, remove, [table]);
	}
	return missing;
}

/**
 * Spreads the tables that migrations have just made in the database of a coordinator. It does nothing without Citus, and
 * nothing to an installation with cards that is not spread, which `database distribute` changes while no daemon runs.
 */
export async function distributeNew(database: Handle): Promise<void> {
	const { knex } = database;
	const cluster = await findCluster(database);
	if (!cluster || cluster.servers.length === 0) return;
	const hasCards = (await knex(FIRST_TABLE).first('id')) !== undefined;
	if (hasCards && !cluster.tables.includes(FIRST_TABLE)) return;
	await knex.transaction((transaction) => distribute(transaction, cluster));
}

/** A server that has not answered within this time counts as away. Citus itself would wait for half a minute. */
const ANSWER_MS = 1_000;

/**
 * The looks that are in progress, by server. Each holds a connection to the coordinator, so there is one a server at most,
 * however often is asked.
 */
const looksOf = perDatabase((_: Pick<Database, 'knex'>) => new Map<string, Promise<boolean>>());

/**
 * Returns the servers with rows that do not answer the coordinator, each as host and port; none without Citus. Cards that are
 * there cannot be used meanwhile; all others can.
 */
export async function findAwayNodes(database: Database): Promise<string[]> {
	const { servers } = (await findCluster(database)) ?? { servers: [] };
	const answers = await Promise.all(servers.map((name) => inTime(lookAt(database, name), ANSWER_MS, false)));
	return servers.filter((_, nth) => !answers[nth]);
}

function lookAt(database: Database, name: string): Promise<boolean> {
	const looks = looksOf(database);
	const [, host, port] = /^(.*):(\d+)$/.exec(name)!;
	const sql = 'select citus_check_connection_to_node(?, cast(? as integer)) as "isThere"';
	const look =
		looks.get(name) ??
		queryRows<{ isThere: boolean }>(database.knex, sql, [host, port])
			.then(([{ isThere }]) => isThere)
			.finally(() => looks.delete(name));
	looks.set(name, look);
	return look;
}

/** Says which servers are away and what that means. */
export function describeAway(away: readonly string[]): string {
	return `${away.join(', ')} does not answer the coordinator: calls about cards that are there are answered with 503`;
}
