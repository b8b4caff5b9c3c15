// Opens a pool of connections to PostgreSQL.

import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { HostChoice } from './host-choice.ts';
import type { HostConnection } from './host-connection.ts';

const INT8_OID = 20;
const MOST_CONNECTIONS = 10;
const ACQUIRE_MS = 10_000;

export interface PostgresPool {
	readonly knex: Knex;
	readonly hosts: HostChoice;
	/** Closes every connection. */
	close(): Promise<void>;
}

/** Opens a pool of at most `maxConnections` connections. `config` is what knex gets for every database. */
export function openPostgres(
	{ url, maxConnections = MOST_CONNECTIONS }: { readonly url: string; readonly maxConnections?: number },
	config: Knex.Config,
): PostgresPool {
	const parsers = {
		getTypeParser(oid: number, format?: 'text' | 'binary') {
			// Large integers are read as numbers, because ids and times fit into a double exactly (page ids have 48 bits),
			// and strings would surprise callers.
			if (oid === INT8_OID && format !== 'binary') return (text: string) => Number(text);
			return pg.types.getTypeParser(oid, format as 'text');
		},
	};
	const hosts = new HostChoice(url, { types: parsers as never });
	const pool = new knexModule.KnexPool<HostConnection>({
		create: () => hosts.connect(),
		destroy: (connection) => connection.end(),
		validate: (connection) => hosts.isUsable(connection),
		min: 0,
		max: maxConnections,
		acquireTimeoutMillis: ACQUIRE_MS,
		// A call fails at once when no host can be used, and does not wait for its turn to fail.
		propagateCreateError: true,
	});
	const knex = knexModule({ ...config, client: 'pg', connectionPool: pool });
	return {
		knex,
		hosts,
		async close() {
			// The pool first: it waits for the connections in use, which knex could not give back any more without its pool.
			await pool.destroy();
			await knex.destroy();
		},
	};
}
