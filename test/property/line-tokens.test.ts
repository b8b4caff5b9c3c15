// Checks AIR and IUR files whose tokens are easily confused with what stands around them: whatever a file holds, it comes
// back byte for byte, and a second pass changes nothing.

import test from 'ava';
import fc from 'fast-check';
import { air } from '../../formats/air/air.ts';
import { iur } from '../../formats/iur/iur.ts';
import type { Format } from '../../src/engine/format.ts';
import { airFile, iurFile, tokens } from '../helpers/confusing-lines.ts';
import { runs } from '../helpers/runs.ts';
import { detokenizeLines, tokenizeLines, type Vault } from '../helpers/swap-lines.ts';

/** How many files are generated, enough for a daily run; `LAW_RUNS=100000` makes a longer search for rare errors. */
const RUNS = Number(process.env.LAW_RUNS ?? runs(5000));
/** Matches a star beside a CVV. Once the CVV is stars too, nothing tells which ones it was, so all of them stay. */
const STAR_AT_CODE = /\*\d{3,4}(?!\d)|(?<!\d)\d{3,4}\*/;

function law<Options>(format: Format<Options>, files: fc.Arbitrary<{ text: string; options: object }>) {
	let cards = 0;
	fc.assert(
		fc.property(files, tokens, ({ text: file, options: chosen }, list) => {
			const options = format.options.parse(chosen);
			const vault: Vault = new Map();
			const there = tokenizeLines(format, options, file, list, vault);
			cards += vault.size;
			const back = detokenizeLines(format, options, there, vault);
			if (back !== file && !STAR_AT_CODE.test(file))
				throw new Error(`comes back as ${JSON.stringify(back)} by way of ${JSON.stringify(there)}`);
			const again = tokenizeLines(format, options, there, list, new Map(vault));
			if (again !== there) throw new Error(`${JSON.stringify(there)} becomes ${JSON.stringify(again)} the second time`);
		}),
		{ numRuns: RUNS, includeErrorInReport: true },
	);
	return cards;
}

test('AIR: no token is taken for something else, and nothing for a token', (t) => {
	t.true(law(air, airFile) > RUNS / 2);
});

test('IUR: no token is taken for something else, and nothing for a token', (t) => {
	t.true(law(iur, iurFile) > RUNS / 2);
});
