// The metrics of events: what waits over all daemons, and how the tries of this daemon ended.

import type { Registry } from 'prom-client';
import { shared } from '../../../base/database/gather.ts';
import { DELIVERY_OUTCOMES, type DeliveryOutcome } from '../../../work/events/lane.ts';
import { counterIn, gaugeIn } from './gauges.ts';

export interface EventStanding {
	readonly waiting: number;
	/** The age of the oldest event that waits for somebody; 0 if none does. */
	readonly oldestSeconds: number;
	readonly disabledEndpoints: number;
}

/** Adds the metrics of events, and returns the function that counts tries. Without `events`, how they stand is not shown. */
export function addEventMetrics(
	registry: Registry,
	events: (() => Promise<EventStanding>) | undefined,
): (outcome: DeliveryOutcome, count: number) => void {
	if (events) {
		// All of these gauges are read at the same moment.
		const read = shared<void, EventStanding>(() => events());
		const gauge = gaugeIn(registry);
		const add = (name: string, help: string, figureOf: (standing: EventStanding) => number) =>
			gauge(`event_${name}`, help, 'sum', async () => figureOf(await read()));
		add('deliveries_waiting', 'Deliveries of events that wait, over all daemons', ({ waiting }) => waiting);
		add(
			'oldest_waiting_seconds',
			'Age of the oldest event that waits for somebody, over all daemons',
			({ oldestSeconds }) => oldestSeconds,
		);
		add('endpoints_disabled', 'Endpoints of events that were disabled', ({ disabledEndpoints }) => disabledEndpoints);
	}
	const deliveries = counterIn(registry)(
		['outcome'],
		'event_deliveries_total',
		'Tries to tell somebody of an event, by how they ended',
	);
	// An alert sees a counter grow only if it was there before.
	for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);
	return (outcome, count) => deliveries.inc({ outcome }, count);
}
