// The metrics of events: what waits over all daemons, and how the tries of this daemon ended.

import { Counter, Gauge, type Registry } from 'prom-client';
import { shared } from '../../../base/database/gather.ts';
import { DELIVERY_OUTCOMES, type DeliveryOutcome } from '../../../work/events/lane.ts';
import { readInTime } from './gauges.ts';

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
	const registers = [registry];
	if (events) {
		// All of these gauges are read at the same moment.
		const read = shared<void, EventStanding>(() => events());
		const add = (name: string, help: string, figureOf: (standing: EventStanding) => number) =>
			new Gauge({
				name: `tokendrop_event_${name}`,
				help,
				registers,
				async collect() {
					const standing = await readInTime(() => read());
					if (standing) this.set(figureOf(standing));
					else this.remove({});
				},
			});
		add('deliveries_waiting', 'Deliveries of events that wait, over all daemons', ({ waiting }) => waiting);
		add(
			'oldest_waiting_seconds',
			'Age of the oldest event that waits for somebody, over all daemons',
			({ oldestSeconds }) => oldestSeconds,
		);
		add('endpoints_disabled', 'Endpoints of events that were disabled', ({ disabledEndpoints }) => disabledEndpoints);
	}
	const deliveries = new Counter({
		name: 'tokendrop_event_deliveries_total',
		help: 'Tries to tell somebody of an event, by how they ended',
		labelNames: ['outcome'],
		registers,
	});
	// An alert sees a counter grow only if it was there before.
	for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);
	return (outcome, count) => deliveries.inc({ outcome }, count);
}
