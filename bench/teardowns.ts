/**
 * Stands for the context of a test, which helpers of tests take: `await using t = new Teardowns()` releases what they
 * opened, the last first, where the block ends.
 */
export class Teardowns extends AsyncDisposableStack {
	teardown(release: () => unknown): void {
		this.defer(async () => void (await release()));
	}
}
