import test from 'ava';
import { readFilter } from '../../src/doors/http/scim/filter.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

const NAMES = ['displayName', 'id'] as const;
const read = (filter: string, mayBeSeveral = true) => readFilter(filter, NAMES, { mayBeSeveral });

test('comparisons that hold together are read one after the other, also with such words within quotes', (t) => {
	const both = [
		{ attribute: 'displayName', value: 'a" and id eq "b' },
		{ attribute: 'id', value: '7' },
	];
	t.deepEqual(read(' displayname EQ "a\\" and id eq \\"b"  AND  id eq "7" '), both);
	t.deepEqual(read('id eq "7"', false), [both[1]]);
	for (const filter of [
		'',
		'id',
		'id eq 7',
		'id eq "7" and',
		'id eq "7" or id eq "8"',
		'id eq "7"x',
		'and id eq "7"',
		'id eq "\\q"',
	])
		t.throws(() => read(filter), { message: /expected displayName eq/ }, filter);
	t.throws(() => read('id eq "7" and id eq "8"', false), { message: /expected/ });
});

test('no filter keeps the thread from others', async (t) => {
	for (const filter of [
		`id${' '.repeat(16_000)}x`,
		`id eq "7"${' '.repeat(16_000)}x`,
		`id eq "7${' and '.repeat(3_200)}`,
	]) {
		const turn = await bestTurn(async () => void t.throws(() => read(filter)));
		t.true(turn < MAX_TURN_MS / 2, `${filter.slice(0, 12)}: ${turn.toFixed()} ms`);
	}
});
