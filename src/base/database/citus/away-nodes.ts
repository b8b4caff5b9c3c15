// Finds out which servers of a Citus cluster are away. Cards that are there cannot be used meanwhile; all others can.

import { inTime } from '../../threads/in-time.ts';
import { perDatabase } from '../gather.ts';
import type { Database } from '../open.ts';
import { queryRows } from '../sql.ts';
import { findCluster } from './distribute.ts';

/** A server that has not answered within this time counts as away. Citus itself would wait for half a minute. */
const ANSWER_MS = 1_000;

/**
 * The looks that are in progress, by server. Each holds a connection to the coordinator, so there is one a server at most,
 * however often is asked.
 */
const looksOf = perDatabase((_: Pick<Database, 'knex'>) => new Map<string, Promise<boolean>>());

/** Returns the servers with rows that do not answer the coordinator, each as host and port. There are none without Citus. */
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
