// Disables an endpoint that no longer receives, and tells the account of it.

import type { Knex } from 'knex';
import { why } from '../../base/failures.ts';
import type { Audit } from '../../trail/audit.ts';
import { deliveryStore } from './delivery-store.ts';
import { type EndpointRow, endpointStore } from './endpoint-store.ts';

/**
 * Disables an endpoint and gives up what waits for it, in a transaction. Returns false if it was disabled before.
 * `event endpoint put` enables it again, and `event replay` tells it what it has missed.
 */
export async function disableEndpoint(
	{ database, audit }: { database: Parameters<typeof deliveryStore>[0]; audit: Pick<Audit, 'record'> },
	transaction: Knex.Transaction,
	{ row, reason, now }: { row: EndpointRow; reason: string; now: number },
): Promise<boolean> {
	if (!(await endpointStore(transaction).disable(row.id, now, reason))) return false;
	const given = why(`the endpoint is disabled: ${reason}`, 'endpoint-disabled');
	await deliveryStore(database).giveUp(transaction, row.id, given, now);
	const details = { name: row.name, reason };
	const entry = { actor: 'daemon', action: 'event-endpoint.disable', subject: `endpoint ${row.id}`, details };
	await audit.record({ ...entry, account: { within: row.account_id } }, transaction);
	return true;
}
