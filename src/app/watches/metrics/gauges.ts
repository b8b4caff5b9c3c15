// Parts that the metrics are made of: counters, gauges, labels of a limited number, and reading within a time.

import { Counter, Gauge, type Registry } from 'prom-client';
import { inTime } from '../../../base/threads/in-time.ts';

const OTHER = 'other';
/** Reading one value may take this long. Prometheus usually waits ten seconds for all values together. */
const READ_TIMEOUT_MS = 2_000;

/**
 * Returns a function for the values of a label. It returns the first `most` different values as they are, and `other`
 * for every further one, so that the number of labels stays limited.
 */
export function boundedLabel(most: number): (value: string) => string {
	const known = new Set<string>();
	return (value) => {
		if (known.size < most) known.add(value);
		return known.has(value) ? value : OTHER;
	};
}

export function counterIn(registry: Registry) {
	return <Label extends string>(labelNames: Label[], name: string, help: string): Counter<Label> =>
		new Counter({ name: `tokendrop_${name}`, help, labelNames, registers: [registry] });
}

/** Returns the function that adds a gauge without labels; the figures of several processes are put together by `aggregator`. */
export function gaugeIn(registry: Registry) {
	return (name: string, help: string, aggregator: 'sum' | 'first', read: () => number | Promise<number>) =>
		new Gauge({
			name: `tokendrop_${name}`,
			help,
			aggregator,
			registers: [registry],
			async collect() {
				const value = await readInTime(read);
				// If a value cannot be read, only this value is left out and all others are still shown, because metrics matter
				// most when something is wrong.
				if (value === undefined) this.remove({});
				else this.set(value);
			},
		});
}

/**
 * Adds a gauge with labels: `read` returns a number for each set of their texts. If `read` fails, the gauge shows
 * nothing, and without it there is no gauge. Of several processes that give one for the same texts, the first is shown.
 */
export function addLabelledGauge(
	registry: Registry,
	gauge: {
		readonly name: string;
		readonly help: string;
		readonly labels: readonly string[];
		readonly read: (() => Promise<Iterable<readonly [texts: readonly string[], value: number]>>) | undefined;
	},
): void {
	const { name, help, labels, read } = gauge;
	if (!read) return;
	new Gauge({
		name: `tokendrop_${name}`,
		help,
		labelNames: [...labels],
		aggregator: 'first',
		registers: [registry],
		async collect() {
			const values = await readInTime(read);
			this.reset();
			for (const [texts, value] of values ?? []) {
				this.set(Object.fromEntries(labels.map((label, i) => [label, texts[i]])), value);
			}
		},
	});
}

/** Reads a value; returns undefined if that fails or takes too long. */
async function readInTime<T>(read: () => T | Promise<T>): Promise<T | undefined> {
	try {
		return await inTime(read(), READ_TIMEOUT_MS, undefined);
	} catch {
		return undefined;
	}
}
