// Counts cards that pass unnoticed: a thousand generated files of each format go through the engine, and test/trade judges
// the results. It also counts findings in a million lines of numbers that are no cards. BENCH_SEED makes other files,
// BENCH_FILES and BENCH_LINES make more or fewer of them.

import { CHANCE_KINDS, falseFindings, KIND_NAMES } from '../test/trade/false-findings.ts';
import { FILTERS } from '../test/trade/generators.ts';
import { type Occurrences, openReferee, refereeFilter, type Tally, type Transfer } from '../test/trade/referee.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';

const DELIMITED = ['GBT', 'SIMPLECSV', 'CSV'];
const SHOWN = 12;

/** Returns every row of silent misses and false findings. Each kind of miss and refusal is printed with an example. */
export async function missesRows(): Promise<BenchRow[]> {
	const seed = process.env.BENCH_SEED ?? '1';
	const files = amount('BENCH_FILES', 1000);
	const lines = amount('BENCH_LINES', 1_000_000);
	await using t = new Teardowns();
	const transfer = await openReferee(t);
	return [
		...(files > 0 ? await missRows(transfer, seed, files) : []),
		...(lines > 0 ? await falseRows(transfer, seed, lines) : []),
	];
}

async function missRows(transfer: Transfer, seed: string, files: number): Promise<BenchRow[]> {
	const rows: BenchRow[] = [{ what: 'generated files: seed', result: seed, target: '', figures: [] }];
	for (const filter of FILTERS) {
		const tally = await refereeFilter(transfer, filter, seed, files);
		printClasses(`${filter}: silent misses`, tally.silent);
		printClasses(`${filter}: refused files`, tally.refusals);
		printClasses(`${filter}: told but not swapped, or swapped and no card`, tally.notSwapped);
		rows.push(...rowsOf(filter, tally));
	}
	return rows;
}

function rowsOf(filter: string, tally: Tally): BenchRow[] {
	const { files, knownCards, unlistedCards, refusedFiles, rightlyRefused } = tally;
	const share = (100 * refusedFiles) / files;
	const zero = { must: 0, aim: 0 };
	const isDelimited = DELIMITED.includes(filter);
	return [
		{
			what: `${filter}: silent misses`,
			result: `${sum(tally.silent)} (${files} files, ${knownCards} cards in known places, ${unlistedCards} elsewhere)`,
			target: '0 (0)',
			figures: [figure(`misses/${filter}/silent`, 'count', sum(tally.silent), zero)],
		},
		{
			what: `${filter}: refused files`,
			result: `${share.toFixed(1)} % (and ${rightlyRefused} files without any known place)`,
			target: isDelimited ? 'under 5 % (0)' : '',
			figures: [figure(`misses/${filter}/refused`, '%', share, isDelimited ? { must: 5, aim: 0 } : {})],
		},
		{
			what: `${filter}: decoys swapped, bytes changed elsewhere, errors on the way back`,
			result: `${tally.changedDecoys}, ${tally.strayChanges}, ${tally.inverseErrors}`,
			target: '0, 0, 0',
			figures: [
				figure(`misses/${filter}/decoys`, 'count', tally.changedDecoys, zero),
				figure(`misses/${filter}/changed elsewhere`, 'count', tally.strayChanges, zero),
				figure(`misses/${filter}/errors on the way back`, 'count', tally.inverseErrors, zero),
			],
		},
	];
}

async function falseRows(transfer: Transfer, seed: string, lines: number): Promise<BenchRow[]> {
	const all = await falseFindings(transfer, seed, lines);
	const rows: BenchRow[] = all.map(({ filter, lines: count, swapped, told }) => ({
		what: `${filter}: ${count} lines of other numbers, swapped`,
		result: `${swapped} (and ${[...told.values()].reduce((total, each) => total + each, 0)} reported)`,
		target: '0',
		figures: [figure(`misses/${filter}/other numbers swapped`, 'count', swapped, { must: 0 })],
	}));
	const perKind = all.reduce((total, each) => total + each.perKind, 0);
	for (const kind of KIND_NAMES) {
		const told = all.reduce((total, each) => total + (each.told.get(kind) ?? 0), 0);
		const isChance = CHANCE_KINDS.includes(kind);
		rows.push({
			what: `other numbers reported: ${kind}${isChance ? ' (digits by chance)' : ''}`,
			result: `${((100 * told) / perKind).toFixed(2)} %`,
			target: '',
			figures: [figure(`misses/other numbers reported/${kind}`, '%', (100 * told) / perKind)],
		});
	}
	return rows;
}

const sum = (classes: ReadonlyMap<string, Occurrences>) =>
	[...classes.values()].reduce((total, { count }) => total + count, 0);

function printClasses(title: string, classes: ReadonlyMap<string, Occurrences>): void {
	if (classes.size === 0) return;
	process.stdout.write(`${title}: ${sum(classes)}\n`);
	const sorted = [...classes].sort(([, a], [, b]) => b.count - a.count);
	for (const [what, { count, seed, example }] of sorted.slice(0, SHOWN)) {
		process.stdout.write(`  ${count} x ${what} [${seed}] ${example}\n`);
	}
	if (sorted.length > SHOWN) process.stdout.write(`  and ${sorted.length - SHOWN} more classes\n`);
}
