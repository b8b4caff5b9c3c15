// Reports rows of the database that were refused because they do not match their seals, in the log and the metrics.
// Worker threads have no metrics and report to the main thread.

import { BroadcastChannel } from 'node:worker_threads';
import type { BrokenRow } from '../../base/keys/rows/row-seals.ts';
import type { Logger } from '../../base/log/log.ts';

type Count = (labels: Pick<BrokenRow, 'table' | 'why'>) => void;

const CHANNEL = 'tokendrop broken rows';

/**
 * Reports the rows refused in the main thread, and counts those refused in worker threads too. Rows refused before the
 * metrics are open are counted later.
 */
export function openBrokenRows(logger: Pick<Logger, 'error'>): BrokenRows & { countBy(count: Count): void } {
	const early: BrokenRow[] = [];
	let count: Count = (row) => early.push(row as BrokenRow);
	const channel = new BroadcastChannel(CHANNEL);
	channel.unref();
	channel.onmessage = ({ data }: { data: unknown }) => tally(data as BrokenRow);
	const tally = ({ table, why }: BrokenRow) => count({ table, why });
	return {
		onBroken(row, isNew) {
			tally(row);
			if (isNew) tell(logger, row);
		},
		countBy(next) {
			count = next;
			for (const { table, why } of early.splice(0)) count({ table, why });
		},
		close: () => channel.close(),
	};
}

export type BrokenRows = ReturnType<typeof passBrokenRows>;

/** Reports the rows that were refused in a worker thread. */
export function passBrokenRows(logger: Pick<Logger, 'error'>) {
	const channel = new BroadcastChannel(CHANNEL);
	channel.unref();
	return {
		/** This function is called for every refused row; `isNew` is true only for its first refusal, which is logged. */
		onBroken(row: BrokenRow, isNew: boolean): void {
			channel.postMessage(row);
			if (isNew) tell(logger, row);
		},
		close: () => channel.close(),
	};
}

function tell(logger: Pick<Logger, 'error'>, { table, id, why }: BrokenRow): void {
	logger.error({ table, row: id, why }, 'a row of the database is not what was written: it is refused');
}
