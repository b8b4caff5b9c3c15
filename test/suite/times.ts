// Writes down how long each test takes, for the list of slow tests (slow-tests.ts).

import { appendFileSync } from 'node:fs';
import test from 'ava';

/** A line of the file of times: how long one test took. */
export interface TestTime {
	readonly share: string;
	readonly title: string;
	readonly ms: number;
}

/**
 * Appends a line for each test of this process to the file that `TOKENDROP_TEST_TIMES` names; does nothing without it. Call
 * this after `runInTurn`, so that the time for which a test waits for its turn does not count.
 */
export function writeTimes(share: string): void {
	const path = process.env.TOKENDROP_TEST_TIMES;
	if (!path) return;
	const startedAt = new Map<string, number>();
	test.serial.beforeEach((t) => void startedAt.set(titleOf(t.title), performance.now()));
	test.afterEach.always((t) => {
		const title = titleOf(t.title);
		const ms = Math.round(performance.now() - startedAt.get(title)!);
		appendFileSync(path, `${JSON.stringify({ share, title, ms } satisfies TestTime)}\n`);
	});
}

/** Returns the title of the test that a hook belongs to. */
function titleOf(title: string): string {
	return title.replace(/^(beforeEach|afterEach\.always) hook for /, '');
}
