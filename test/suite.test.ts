// What `npm test` runs is all there is: every test file belongs to one share of the suite (test/suite/shares.ts).

import { globSync } from 'node:fs';
import test from 'ava';
import { alone, filesOf, shares, TESTS } from './suite/shares.ts';

test('every test file belongs to exactly one share, or is alone', (t) => {
	const shared = [...Object.values(shares), alone].flatMap((share) => filesOf(share));
	t.deepEqual(shared.toSorted(), globSync('**/*.test.ts', { cwd: TESTS }).sort());
});

test('every share has a file that the suite begins with', (t) => {
	const names = globSync('*.suite.ts', { cwd: `${TESTS}suite` }).map((name) => name.replace('.suite.ts', ''));
	t.deepEqual(names.sort(), Object.keys(shares).sort());
});
