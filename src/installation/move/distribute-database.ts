// Spreads the tables of an installation that has cards over the servers of a Citus cluster.

import { withSchemaLock } from '../../base/database/locks.ts';
import type { Database } from '../../base/database/open.ts';
import { distribute, findCluster } from '../../base/database/postgres/citus.ts';
import type { Audit } from '../../trail/audit.ts';
import { requireNoDaemon } from '../daemons/upgrade.ts';

/**
 * Spreads what is not spread yet, and records it in the trail. When the promise resolves all of it is spread; if it
 * rejects, nothing has changed.
 * @throws Error if the database is no coordinator with servers, or if a daemon runs
 */
export async function distributeDatabase(
	{ database, audit, actor }: { readonly database: Database; readonly audit: Audit; readonly actor: string },
	now: number,
) {
	const cluster = await findCluster(database);
	if (!cluster) {
		throw new Error('the database has no extension citus: make it the coordinator of a cluster first (docs/scale.md)');
	}
	const { servers, version } = cluster;
	if (servers.length === 0) {
		throw new Error('the coordinator knows no server that may have rows: add them first (docs/scale.md)');
	}
	await requireNoDaemon(database, now);
	const details = { servers: servers.join(', '), version };
	await audit.record({ actor, action: 'database.distribute', subject: 'installation', details });
	const tables = await withSchemaLock(database, () =>
		database.knex.transaction((transaction) => distribute(transaction, cluster)),
	);
	return { tables, servers };
}
