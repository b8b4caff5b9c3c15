// Declares tests that run programs which a machine may lack. A test whose program is missing is skipped, and
// test/skipped.ts lists it at the end; with TOKENDROP_TEST_REQUIRE=all it fails instead, unless no package brings what is missing.

import test, { type TestFn } from 'ava';
import { BEYOND_PACKAGES, findMissing, type Need } from './programs.ts';
import { noteSkipped } from './skipped-tests.ts';

/**
 * Returns ava's `test` if everything is there. Otherwise the tests that it declares are skipped and listed, or fail if
 * everything is required and a package would bring it.
 */
export function testNeeding<Context = unknown>(...needs: Need[]): TestFn<Context> {
	const missing = findMissing(needs);
	if (missing.length === 0) return test as TestFn<Context>;
	const isRequired =
		process.env.TOKENDROP_TEST_REQUIRE === 'all' && !missing.every((need) => BEYOND_PACKAGES.has(need));
	const other = (serially: boolean) =>
		function declare(...given: unknown[]) {
			const title = titleOf(given);
			if (!isRequired) {
				noteSkipped({ title, missing });
				return (serially ? test.serial : test).skip(title, (t) => t.fail());
			}
			(serially ? test.serial : test)(title, (t) => t.fail(`not on this machine: ${missing.join(', ')}`));
		};
	// What the tests share is not opened either: it needs the same programs.
	const unused = Object.assign(() => {}, { always: () => {} });
	const hooks = { before: unused, beforeEach: unused, after: unused, afterEach: unused };
	return Object.assign(other(false), { ...test, ...hooks, serial: other(true) }) as unknown as TestFn<Context>;
}

interface Declared {
	title?(given: string | undefined, ...args: unknown[]): string | undefined;
}

/** Returns the title of a test as ava does: the one that is given, or the one that its macro makes of what follows. */
function titleOf(given: readonly unknown[]): string {
	const [first, second, ...rest] = given;
	if (typeof first !== 'string') return (first as Declared).title?.(undefined, ...given.slice(1)) ?? 'a test';
	return (second as Declared | undefined)?.title?.(first, ...rest) ?? first;
}
