// Spreads the tables that grow over the servers of a Citus cluster.

import type { Knex } from 'knex';
import { execute, queryRows, type SqlTarget } from '../sql.ts';
import { DISTRIBUTED_TABLES, KNOWN_TABLE, REFERENCE_TABLE } from './distributed-tables.ts';

/** A server of the cluster, as the coordinator knows it. */
export interface Node {
	/** Its host and port. */
	readonly name: string;
	/** Whether it may have rows of tables that are spread. */
	readonly hasShards: boolean;
}

/** What a database says of Citus. */
export interface Cluster {
	readonly version: string;
	readonly nodes: readonly Node[];
	/** The tables that Citus knows already. */
	readonly tables: readonly string[];
}

/** Returns the cluster whose coordinator the database is; undefined without Citus. */
export async function findCluster(on: SqlTarget): Promise<Cluster | undefined> {
	const [found] = await queryRows<{ version: string }>(
		on,
		`select extversion as version from pg_extension where extname = 'citus'`,
	);
	if (!found) return undefined;
	const nodes = await queryRows<Node>(
		on,
		`select nodename || ':' || nodeport as name, shouldhaveshards as "hasShards" from pg_dist_node
			where isactive and noderole = 'primary' order by nodeid`,
	);
	const tables = await queryRows<{ name: string }>(
		on,
		`select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
			where c.relnamespace = current_schema()::regnamespace order by 1`,
	);
	return { ...found, nodes, tables: tables.map(({ name }) => name) };
}

/**
 * Spreads each table that is not spread yet, in a transaction. Rows that it has are copied to their servers and removed
 * here. Whoever uses one of the tables waits. Returns the names of the tables that were changed.
 */
export async function distribute(
	transaction: Knex.Transaction,
	{ tables }: Pick<Cluster, 'tables'>,
): Promise<string[]> {
	const [[first], ...others] = Object.entries(DISTRIBUTED_TABLES);
	const done: string[] = [];
	const spread = async (table: string, column: string, beside: string) => {
		if (tables.includes(table)) return;
		await execute(transaction, 'select create_distributed_table(?, ?, colocate_with => ?)', [table, column, beside]);
		// The rows that were there stay behind, where nobody sees them any more.
		await execute(transaction, 'select truncate_local_data_after_distributing_table(cast(? as regclass))', [table]);
		done.push(table);
	};
	await spread(first, DISTRIBUTED_TABLES.pages, 'none');
	for (const [table, column] of others) await spread(table, column, first);
	if (!tables.includes(REFERENCE_TABLE)) {
		await execute(transaction, 'select create_reference_table(?)', [REFERENCE_TABLE]);
		await execute(transaction, 'select truncate_local_data_after_distributing_table(cast(? as regclass))', [
			REFERENCE_TABLE,
		]);
		done.push(REFERENCE_TABLE);
	}
	if (!tables.includes(KNOWN_TABLE)) {
		await execute(transaction, 'select citus_add_local_table_to_metadata(cast(? as regclass))', [KNOWN_TABLE]);
		done.push(KNOWN_TABLE);
	}
	return done;
}
