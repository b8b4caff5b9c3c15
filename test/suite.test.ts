// Checks what runs of the suite include: every test file belongs to one share (test/suite/shares.ts), and only slow tests
// are left out.

import { globSync } from 'node:fs';
import test from 'ava';
import { alone, filesOf, shares, TESTS } from './suite/shares.ts';
import { chooseSlow, isWholeRun, KEPT, quickPatterns } from './suite/slow-tests.ts';

test('every test file belongs to exactly one share, or is alone', (t) => {
	const shared = [...Object.values(shares), alone].flatMap((share) => filesOf(share));
	t.deepEqual(shared.toSorted(), globSync('**/*.test.ts', { cwd: TESTS }).sort());
});

test('every share has a file that the suite begins with', (t) => {
	const names = globSync('*.suite.ts', { cwd: `${TESTS}suite` }).map((name) => name.replace('.suite.ts', ''));
	t.deepEqual(names.sort(), Object.keys(shares).sort());
});

test('slow tests are listed by their share, those on PostgreSQL sooner, but for those that always run', (t) => {
	const [kept] = KEPT;
	const timesOf = (share: string, times: Record<string, number>) =>
		Object.entries(times).map(([title, ms]) => ({ share, title, ms }));
	const http = { 'sqlite: a call': 120, 'postgres: a call': 120, 'a long call': 500, [kept]: 5000 };
	t.deepEqual(chooseSlow([...timesOf('http', http), ...timesOf('cards', { 'a card': 1, 'a file': 151 })]), {
		cards: ['a file'],
		http: ['a long call', 'postgres: a call'],
	});
	t.deepEqual(quickPatterns({ http: ['2 * 3', 'a\\b'], jobs: ['c'] }), ['*', '!2 \\* 3', '!a\\\\b', '!c']);
});

test('a plain run leaves out slow tests; one in which every test is asked for, or every program required, has all', (t) => {
	t.false(isWholeRun({}));
	t.false(isWholeRun({ TOKENDROP_TEST_ALL: '0', CI: 'true' }));
	for (const env of [{ TOKENDROP_TEST_ALL: '1' }, { TOKENDROP_TEST_LONG: '1' }, { TOKENDROP_TEST_REQUIRE: 'all' }]) {
		t.true(isWholeRun(env));
	}
});
