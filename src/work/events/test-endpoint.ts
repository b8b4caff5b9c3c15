import type { Clock } from '../../base/clock.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import { badInput } from '../../base/errors.ts';
import type { OutboundClient } from '../../base/outbound/http-client.ts';
import { exampleData } from '../../base/outbox/event-types.ts';
import { EVENT_PREFIX, eventBody } from '../../base/outbox/record-events.ts';
import type { Owner } from '../../people/identity/principal.ts';
import { callEndpoint } from './call-endpoint.ts';
import type { EventEndpoints } from './endpoints.ts';

export type EndpointTest = Awaited<ReturnType<typeof testEndpoint>>;

/** Returns what became of an example as interfaces give it. */
export function shownTest({ failure, ...test }: EndpointTest) {
	return { ...test, reason: failure?.reason ?? null };
}

/**
 * Sends the example of an event to an endpoint, whatever its state is, once. Its type is one that the endpoint wants.
 * @throws ServiceError if there is no such endpoint, or if it is a mailbox
 */
export async function testEndpoint(
	parts: {
		readonly endpoints: Pick<EventEndpoints, 'getRow' | 'findTarget'>;
		readonly outbound: Pick<OutboundClient, 'call'>;
		readonly clock: Clock;
	},
	{ accountId, userId }: Owner,
	name: string,
) {
	const { endpoints, clock } = parts;
	const row = await endpoints.getRow(accountId, name);
	const target = await endpoints.findTarget(row);
	if (!target) throw badInput('name', 'a mailbox cannot be called');
	const now = clock.now().getTime();
	const type = (row.types?.split(',')[0] ?? 'job.done') as Parameters<typeof exampleData>[0];
	const id = EVENT_PREFIX + makeUlid(now);
	const body = eventBody(type, now, { ...exampleData(type), account: userId });
	const { outcome, status, failure } = await callEndpoint(parts, target, { id, body });
	return { id, received: outcome === 'sent', status, failure };
}
