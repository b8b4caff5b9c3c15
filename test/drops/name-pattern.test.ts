import test from 'ava';
import fc from 'fast-check';
import { namePattern } from '../../src/work/drops/name-pattern.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';
import { runs } from '../helpers/runs.ts';

const text = (letters: readonly string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });

test('a pattern fits a name exactly when a regular expression fits that tries every place of every part', (t) => {
	fc.assert(
		fc.property(
			text(['a', 'b', '.', '*', '?', '\u{1F600}']),
			text(['a', 'b', '.', '?', '\u{1F600}']),
			(pattern, name) => {
				for (const single of [undefined, '?'] as const) {
					const source = [...pattern].map((sign) =>
						sign === '*' ? '.*' : sign === single ? '.' : RegExp.escape(sign),
					);
					t.is(
						namePattern(pattern, single)(name),
						new RegExp(`^${source.join('')}$`, 'su').test(name),
						`${pattern} ${name}`,
					);
				}
			},
		),
		{ numRuns: runs(3_000) },
	);
});

test('no pattern and name of the longest kind keep the thread from others', async (t) => {
	const name = 'a'.repeat(255);
	for (const pattern of [
		`${'*a'.repeat(4)}*b`,
		`${'*a'.repeat(127)}b`,
		`${'*?'.repeat(127)}b`,
		`*${'a'.repeat(126)}*${'?'.repeat(126)}b`,
	]) {
		const fits = namePattern(pattern, '?');
		const turn = await bestTurn(async () => void t.false(fits(name)));
		t.true(turn < MAX_TURN_MS, `${pattern.slice(0, 12)}: ${turn.toFixed()} ms`);
	}
});
