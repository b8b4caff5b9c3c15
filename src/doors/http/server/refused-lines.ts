// Limits how many log lines strangers can cause: requests refused before the caller was known are logged one by one up
// to a limit for each address and minute, and counted beyond it.

import { defendedAddress } from '../../../base/defender/defender.ts';
import type { Logger } from '../../../base/log/log.ts';

/** At most this many requests of one address are logged one by one within a minute. */
export const REFUSED_LINES_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** At most this many addresses are counted separately; others share a count, so that memory is limited too. */
const MAX_ADDRESSES = 10_000;
const FURTHER = 'further addresses';

/**
 * Opens the limit for refused requests. Its timer runs only while requests were refused in the last minute, and does
 * not keep the process alive.
 */
export function openRefusedLines(logger: Logger) {
	let counts = new Map<string, number>();
	let timer: NodeJS.Timeout | undefined;
	/** Logs how many requests were only counted so far. */
	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		const ended = counts;
		counts = new Map();
		const over = [...ended].filter(([, count]) => count > REFUSED_LINES_A_MINUTE);
		// Only the addresses with the largest counts get a line of their own, and all others share one line. So many
		// addresses together cannot cause many more lines than one address.
		over.sort(([, a], [, b]) => b - a);
		const shown = over.slice(0, REFUSED_LINES_A_MINUTE);
		for (const [address, count] of shown) {
			logger.warn(
				{ address, leftOut: count - REFUSED_LINES_A_MINUTE },
				'refused http requests were left out of the log',
			);
		}
		const rest = over.slice(REFUSED_LINES_A_MINUTE);
		if (rest.length === 0) return;
		const leftOut = rest.reduce((sum, [, count]) => sum + count - REFUSED_LINES_A_MINUTE, 0);
		logger.warn({ addresses: rest.length, leftOut }, 'refused http requests were left out of the log');
	};
	return {
		/** Returns whether one more refused request of the address is logged on a line of its own. */
		takes(address: string): boolean {
			timer ??= setTimeout(flush, MINUTE_MS).unref();
			const known = defendedAddress(address);
			const name = counts.has(known) || counts.size < MAX_ADDRESSES ? known : FURTHER;
			const count = (counts.get(name) ?? 0) + 1;
			counts.set(name, count);
			return count <= REFUSED_LINES_A_MINUTE;
		},
		flush,
	};
}
