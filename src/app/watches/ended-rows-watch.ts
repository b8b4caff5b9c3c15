// Reads the register of ended rows from time to time. Every check of a row reads it too, but a daemon that checks none
// for an hour would not see entries that somebody writes and removes within that hour.

import type { RowSeals } from '../../base/keys/rows/row-seals.ts';

const LOOK_EVERY_MS = 2_000;

/** Reads the register now and from time to time. `close` ends this. */
export function watchEndedRows(seals: Pick<RowSeals, 'refresh'>, everyMs = LOOK_EVERY_MS): { close(): void } {
	// The error is ignored: if the database is away, so are the rows, and every check of a row reads the register again.
	const look = async () => seals.refresh()?.catch(() => {});
	void look();
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();
	return { close: () => clearInterval(timer) };
}
