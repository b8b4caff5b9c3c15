/**
 * `untilNoneArrive` waits for at most this many turns of the event loop, which are some tenths of a millisecond under
 * load.
 */
const MAX_TURNS = 20;

/**
 * `untilNoneArrive` returns after this many turns of the event loop in a row without a new request. A request needs
 * about as many turns from its arrival to its commit, because its credential is checked first and the rest of it is
 * read afterwards.
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
