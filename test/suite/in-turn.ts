// Limits how many tests of one process run at the same time.

import test from 'ava';

/**
 * Lets `most` tests of this process run at once; the others wait in the order of their declaration. AVA by itself begins
 * with all tests of a file, which for the files of a whole share would be hundreds of databases and doors at a time.
 */
export function runInTurn(most: number): void {
	let free = most;
	const waiting: (() => void)[] = [];
	test.serial.beforeEach(() => {
		if (free === 0) return new Promise<void>((resolve) => waiting.push(resolve));
		free -= 1;
	});
	test.afterEach.always(() => {
		const next = waiting.shift();
		if (next) next();
		else free += 1;
	});
}
