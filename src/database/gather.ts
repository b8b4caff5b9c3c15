/** The longest wait is this many turns of the event loop, some tenths of a millisecond under load. */
const MAX_TURNS = 20;

/**
 * The wait ends after this many turns of the event loop without a new request. A request takes about as many turns
 * between its arrival and its commit: first the credential is checked, then the rest is read.
 */
const QUIET_TURNS = 3;

/**
 * Waits while the turns of the event loop bring more requests, so that requests that arrive together share a commit.
 * SQLite blocks the process while it commits. Without this wait the next commit would contain only the request that was
 * read first, and each commit would serve half as many requests.
 */
export async function untilNoneArrive(count: () => number): Promise<void> {
	let before = count();
	for (let turn = 0, quiet = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn++) {
		await new Promise(setImmediate);
		quiet = count() > before ? 0 : quiet + 1;
		before = count();
	}
}
