// Judges what comes out, and what is reported, of files whose generators do not know the scanners.

import test from 'ava';
import { FILTERS, generateFile } from './generators.ts';
import { type Occurrences, openReferee, refereeFilter } from './referee.ts';

const FILES = 60;
const SEED = 'test';

const shown = (classes: ReadonlyMap<string, Occurrences>) =>
	[...classes].map(([what, { count, seed, example }]) => `${count} x ${what} [${seed}] ${example}`);

for (const filter of FILTERS) {
	test(`${filter}: no card of ${FILES} generated files passes in silence, and the way back gives each file again`, async (t) => {
		const tally = await refereeFilter(await openReferee(t), filter, SEED, FILES);
		t.true(tally.knownCards + tally.unlistedCards > FILES);
		t.deepEqual(shown(tally.silent), []);
		t.deepEqual(shown(tally.refusals), []);
		t.is(tally.changedDecoys, 0, 'decoys swapped');
		t.is(tally.strayChanges, 0, 'bytes changed outside every place');
		t.is(tally.inverseErrors, 0, 'errors on the way back');
	});

	test(`${filter}: with otherNumbers set to tokenize no number outside the known places stays, and all come back`, async (t) => {
		const tally = await refereeFilter(await openReferee(t), filter, SEED, FILES, { otherNumbers: 'tokenize' });
		t.is(tally.unlistedInClear, 0);
		t.is(tally.strayChanges, 0, 'bytes changed outside every place');
		t.is(tally.inverseErrors, 0, 'errors on the way back');
	});

	test(`${filter}: a generated file is the same under the same seed, and its places hold what they say`, (t) => {
		for (let index = 0; index < FILES; index++) {
			const file = generateFile(filter, SEED, index);
			t.deepEqual(generateFile(filter, SEED, index), file);
			for (const { start, end, raw } of file.places) {
				const stands = file.bytes.subarray(start, end);
				t.true(stands.equals(Buffer.from(raw, 'utf8')) || stands.equals(Buffer.from(raw, 'latin1')));
			}
		}
	});
}
