import test from 'ava';
import fc from 'fast-check';
import { fits } from '../../src/work/jobs/left-alone.ts';
import { runs } from '../helpers/runs.ts';

test('a pattern fits a name exactly when a regular expression of the same meaning does', (t) => {
	const text = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
	fc.assert(
		fc.property(text('aAb.*'), text('aAb.'), (pattern, name) => {
			const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
			t.is(fits(pattern, name), new RegExp(`^${parts.join('.*')}$`, 'i').test(name));
		}),
		{ numRuns: runs(2_000) },
	);
	t.true(fits('*', 'anything'));
	t.false(fits('*.md5', 'may.md5.csv'));
});
