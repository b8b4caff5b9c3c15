// Checks the laws of the engine (formats §1.11) with generated files of every format, which mix every known trap.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { HOSTILE_FILES } from '../helpers/hostile-files.ts';
import { runs } from '../helpers/runs.ts';
import { openVaultParts, type Swapped, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as Format<never>[];
/** How many files are generated, which is enough for a daily run; `LAW_RUNS=1000` makes a longer search for rare errors. */
const RUNS = Number(process.env.LAW_RUNS ?? runs(150));
const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });

/** Matches a star beside a CVV. Once the CVV is stars too, nothing tells which ones it was, so all of them stay. */
const STAR_AT_CODE = /\*\d{3,4}(?!\d)|(?<!\d)\d{3,4}\*/;

/** Returns the outcome of a pass, or the error that refused the file. */
async function outcome(pass: Promise<Swapped>): Promise<Swapped | FileError> {
	try {
		return await pass;
	} catch (error) {
		if (error instanceof FileError) return error;
		throw error;
	}
}

const isSame = (one: unknown, other: unknown, what: string) => {
	if (JSON.stringify(one) !== JSON.stringify(other))
		throw new Error(`${what}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`);
};

for (const format of formats.values()) {
	test(`${format.filter}: any file comes back byte for byte, stands still the second time, however it was cut`, async (t) => {
		const parts = await openVaultParts(t);
		const whole = parts.engine(all);
		const tiny = parts.engine(all, { windowBytes: 7, maxRecordBytes: 1_048_576 });
		const { filter } = format;
		let cards = 0;
		let refusedFiles = 0;
		await fc.assert(
			fc.asyncProperty(HOSTILE_FILES[filter], cuts, async ({ bytes, options }, chunkSizes) => {
				const request = { filter, options, direction: 'tokenize' as const };
				const there = await outcome(swap(parts, whole, { ...request, bytes }));
				if (there instanceof FileError) {
					refusedFiles++;
					isSame(/\d{12}/.test(there.message), false, there.message);
					isSame(there.at.offset >= 0 && there.at.offset <= bytes.length, true, 'position');
					const cut = await outcome(swap(parts, tiny, { ...request, bytes, chunkSizes }));
					isSame(
						cut instanceof FileError ? [cut.message, cut.at] : cut.summary,
						[there.message, there.at],
						'refused in pieces',
					);
					return;
				}
				cards += there.summary.cards;
				const again = await swap(parts, whole, { ...request, bytes: there.bytes });
				isSame(again.bytes.toString('latin1'), there.bytes.toString('latin1'), 'the second time');
				const back = await swap(parts, whole, { ...request, direction: 'detokenize', bytes: there.bytes });
				if (!STAR_AT_CODE.test(bytes.toString('latin1'))) {
					isSame(back.bytes.toString('latin1'), bytes.toString('latin1'), 'there and back');
				}
				const shared = { ...options, eliminateCardDuplication: true, onRefused: 'mask' };
				const one = await swap(parts, whole, { ...request, accountId: 2, options: shared, bytes });
				const other = await swap(parts, tiny, { ...request, accountId: 2, options: shared, bytes, chunkSizes });
				isSame(other.bytes.toString('latin1'), one.bytes.toString('latin1'), 'in pieces');
				isSame(other.summary, one.summary, 'counts in pieces');
				isSame(other.entries, one.entries, 'entries in pieces');
				const masked = await swap(parts, whole, { ...request, accountId: 2, options: shared, bytes: one.bytes });
				isSame(masked.bytes.toString('latin1'), one.bytes.toString('latin1'), 'masked, the second time');
				isSame(masked.summary.cards, 0, 'masked, cards the second time');
			}),
			{ numRuns: RUNS, includeErrorInReport: true },
		);
		t.log(`${cards} cards, ${refusedFiles} files refused`);
		// The format with the fewest cards is expected to have ten times as many, so chance alone does not fail this.
		t.true(cards > RUNS / 30, `${cards} cards`);
		t.true(refusedFiles < RUNS / 2, `${refusedFiles} files refused`);
	});
}
