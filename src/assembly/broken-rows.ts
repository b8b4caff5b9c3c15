// Rows that were refused, in the log and among the figures. Worker threads have no figures of their own and tell the main
// one.

import { BroadcastChannel } from 'node:worker_threads';
import type { BrokenRow } from '../keys/row-seals.ts';
import type { Logger } from '../log.ts';

type Count = (labels: Pick<BrokenRow, 'table' | 'why'>) => void;

export interface BrokenRows {
	/** Every one counts; the first of a row is logged. */
	onBroken(row: BrokenRow, isNew: boolean): void;
	close(): void;
}

const CHANNEL = 'tokendrop broken rows';

/** Of the main thread. What comes up before there is somebody to count it is counted then. */
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

/** Of a worker thread. */
export function passBrokenRows(logger: Pick<Logger, 'error'>): BrokenRows {
	const channel = new BroadcastChannel(CHANNEL);
	channel.unref();
	return {
		onBroken(row, isNew) {
			channel.postMessage(row);
			if (isNew) tell(logger, row);
		},
		close: () => channel.close(),
	};
}

function tell(logger: Pick<Logger, 'error'>, { table, id, why }: BrokenRow): void {
	logger.error({ table, row: id, why }, 'a row of the database is not what was written: it is refused');
}
