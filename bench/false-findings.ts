// Counts the cards that AIR and IUR find where there is none: on a million lines with numbers of tickets, frequent flyers,
// phones, bookings and accounts, most of them behind two letters that are also a code of cards. It also counts how many of
// these numbers would pass for a card by range and check digit alone, which is all that the last line of defence can check
// where nothing says what they are. Of a million such numbers in places named for them, in all formats, none may be found.

import { air } from '../formats/air/air.ts';
import { iur } from '../formats/iur/iur.ts';
import { brandOf } from '../src/base/card/brand.ts';
import { passesLuhn } from '../src/base/card/luhn.ts';
import { Findings, type Format } from '../src/engine/format.ts';
import { airOfNumbers, Dice, iurOfNumbers, type TradeNumber } from '../test/helpers/trade-numbers.ts';
import { namedFindings } from '../test/trade/false-findings.ts';
import { openReferee } from '../test/trade/referee.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';

const LINES_A_RECORD = 500;
const SEED = 20_261_122;

/**
 * Counts the findings in so many lines, half of them of each format, and how many of their numbers pass the check of some
 * brand.
 */
export function countFalseFindings(lines: number, seed: number): { findings: number; lookAlikes: number } {
	const dice = new Dice(seed);
	const found = new Findings();
	let findings = 0;
	let lookAlikes = 0;
	const see = ({ digits }: TradeNumber) => {
		const isLong = digits.length >= 13 && digits.length <= 19;
		const bytes = Buffer.from(digits);
		if (isLong && passesLuhn(bytes, 0, bytes.length) && brandOf(bytes, 0, bytes.length) !== 0) lookAlikes++;
	};
	for (let done = 0; done < lines; done += 2 * LINES_A_RECORD) {
		for (const [format, make] of [
			[air, airOfNumbers],
			[iur, iurOfNumbers],
		] as const) {
			const file = make(dice, LINES_A_RECORD, see);
			found.truncate(0);
			(format as Format<object>).scanner(format.options.parse({}), 'tokenize').scan(file, 0, file.length, true, found);
			findings += found.length;
		}
	}
	return { findings, lookAlikes };
}

/** Returns the rows of the group `false-findings`. */
export async function falseFindingRows(): Promise<BenchRow[]> {
	const lines = Math.max(2 * LINES_A_RECORD, amount('BENCH_LINES', 1_000_000));
	const { findings, lookAlikes } = countFalseFindings(lines, SEED);
	const count = lines.toLocaleString('en');
	const share = (lookAlikes / lines) * 100;
	return [
		{
			what: `cards found in ${count} lines of AIR and IUR without one`,
			result: String(findings),
			target: '0 (0)',
			figures: [figure('false-findings/found', 'count', findings, { must: 0, aim: 0 })],
		},
		{
			what: 'their numbers that pass for a card by range and check digit alone',
			result: `${share.toFixed(2)} %`,
			target: 'told',
			figures: [figure('false-findings/look-alikes', '%', share, { larger: 'neither' })],
		},
		...(await namedRows(lines)),
	];
}

async function namedRows(lines: number): Promise<BenchRow[]> {
	await using t = new Teardowns();
	const transfer = await openReferee(t);
	return (await namedFindings(transfer, String(SEED), lines)).map(({ filter, lines: count, found }) => ({
		what: `${filter}: found in ${count.toLocaleString('en')} lines of other numbers in named places`,
		result: String(found),
		target: '0 (0)',
		figures: [figure(`false-findings/named/${filter}`, 'count', found, { must: 0, aim: 0 })],
	}));
}
