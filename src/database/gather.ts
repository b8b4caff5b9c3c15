/** Longest wait, in turns of the event loop: some tenths of a millisecond where others are busy. */
const MAX_TURNS = 20;

/** A request goes through so many turns between its arrival and its commit: credential, then what it asks for. */
const QUIET_TURNS = 3;

/**
 * Waits as long as turns of the event loop bring more of what is counted, so that what arrived together shares a commit.
 * SQLite works while nothing else can: without this the next batch would be whoever was read first, and a commit would
 * serve half as many.
 */
export async function untilNoneArrive(count: () => number): Promise<void> {
	let before = count();
	for (let turn = 0, quiet = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn++) {
		await new Promise(setImmediate);
		quiet = count() > before ? 0 : quiet + 1;
		before = count();
	}
}
