/** Longest wait, in turns of the event loop: some tenths of a millisecond where others are busy. */
const MAX_TURNS = 20;

/**
 * Waits as long as each turn of the event loop brings more of what is counted, so that what arrived together shares a
 * commit. SQLite works while nothing else can: without this the next batch would be whoever was read first, and a commit
 * would serve half as many.
 */
export async function untilNoneArrive(count: () => number): Promise<void> {
	let before = -1;
	for (let turn = 0; count() > before && turn < MAX_TURNS; turn++) {
		before = count();
		await new Promise(setImmediate);
	}
}
