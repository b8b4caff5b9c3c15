import { AggregatorRegistry, Registry } from 'prom-client';

/** The metrics of one process, as `Registry.getMetricsAsJSON` gives them. */
export type ProcessMetrics = readonly { readonly type: unknown }[];

/**
 * Combines the metrics of several processes: what each of them counts is added up, and what all of them read in the database
 * is shown once, as the `aggregator` of the metric says. What a process had counted when it was last asked stays in the sums
 * after it has ended, because a sum that falls would look like a restart of everything.
 */
export class MergedMetrics {
	readonly #latest = new Map<number, ProcessMetrics>();
	#ended: ProcessMetrics[] = [];

	note(process: number, metrics: ProcessMetrics): void {
		this.#latest.set(process, metrics);
	}

	end(process: number): void {
		const counted = this.#latest.get(process)?.filter(({ type }) => type === 'counter' || type === 'histogram');
		this.#latest.delete(process);
		if (counted) this.#ended.push(counted);
	}

	async read(): Promise<{ contentType: string; text: string }> {
		if (this.#ended.length > 1) this.#ended = [await merge(this.#ended).getMetricsAsJSON()];
		const text = await merge([...this.#latest.values(), ...this.#ended]).metrics();
		return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text };
	}
}

function merge(ofProcesses: readonly ProcessMetrics[]): Registry {
	return AggregatorRegistry.aggregate(ofProcesses as object[][]);
}
