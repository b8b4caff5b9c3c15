import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVariables } from '../test/helpers/start-command.ts';
import { cutBytes, runs } from './amounts.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { type BenchFile, generate } from './generate.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';
import type { TransferOnce, TransferOnceResult } from './transfer-once.ts';

export const FILE_BYTES = cutBytes(100_000_000);
const RUNS = runs(3);
/** Runs a script of this folder with a task in a process of its own, and returns the result that it prints. */
export function runOnce<Result>(script: string, task: object): Result {
	const file = fileURLToPath(new URL(script, import.meta.url));
	const env = { ...process.env, ...startVariables };
	return JSON.parse(execFileSync(process.execPath, [file, JSON.stringify(task)], { encoding: 'utf8', env }));
}

export const transferOnce = (task: TransferOnce): TransferOnceResult => runOnce('./transfer-once.ts', task);

/** The goals for cards and for bytes a second: what must be reached, and what is aimed at. */
interface Goal {
	readonly target: string;
	readonly cards?: FigureNotes;
	readonly bytes?: FigureNotes;
}

/** Makes the row of several passes over one file: bytes a second, and cards a second if the file has cards. */
function rowOf(what: string, name: string, results: readonly TransferOnceResult[], goal: Goal): BenchRow {
	const rates = results.map((each) => each.bytes / 1e6 / each.seconds);
	const cards = results.map((each) => each.cards / each.seconds);
	const figures = [figure(`${name}/bytes`, 'MB/s', rates, goal.bytes)];
	const text = `${median(rates).toFixed(0)} MB/s`;
	if (median(cards) === 0) return { what, result: text, target: goal.target, figures };
	return {
		what,
		result: `${Math.round(median(cards) / 1000)},000 cards/s, ${text}`,
		target: goal.target,
		figures: [figure(`${name}/cards`, 'cards/s', cards, goal.cards), ...figures],
	};
}

async function digestOf(path: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path)) hash.update(chunk);
	return hash.digest('hex');
}

/**
 * Tokenizes a file and detokenizes the output several times, each time with a database of its own, and checks each time
 * that this restores the same bytes.
 */
export async function thereAndBack(
	folder: string,
	filter: string,
	file: BenchFile,
	databaseFor: () => Promise<string>,
): Promise<{ there: TransferOnceResult[]; back: TransferOnceResult[] }> {
	const [output, restored] = [join(folder, 'tokenized'), join(folder, 'restored')];
	const there: TransferOnceResult[] = [];
	const back: TransferOnceResult[] = [];
	const expected = await digestOf(file.path);
	for (let n = 0; n < RUNS; n++) {
		const databaseUrl = await databaseFor();
		there.push(transferOnce({ databaseUrl, filter, direction: 'tokenize', input: file.path, output }));
		back.push(transferOnce({ databaseUrl, filter, direction: 'detokenize', input: output, output: restored }));
		if ((await digestOf(restored)) !== expected) throw new Error(`${filter}: not identical`);
	}
	rmSync(output);
	rmSync(restored);
	return { there, back };
}

/** Removes the SQLite database of a folder and returns the address of a new one, which is empty. */
export async function freshSqlite(folder: string): Promise<string> {
	const path = join(folder, 'vault.sqlite');
	for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
	return `sqlite:${path}`;
}

export const DELIMITED = ['CSV', 'SIMPLECSV', 'GBT'];
/** All formats of files; those with columns come first. */
export const FILTERS = [...DELIMITED, 'AIR', 'IUR', 'TADC', 'SIMPLEJSON'];
const DELIMITED_GOAL: Goal = {
	target: '300,000 cards/s, 35 MB/s (700,000 cards/s)',
	cards: { must: 300_000, aim: 700_000 },
	bytes: { must: 35 },
};
const OTHER_GOAL: Goal = { target: '25 MB/s (60 MB/s)', bytes: { must: 25, aim: 60 } };
const POSTGRES_GOAL: Goal = { target: '200,000 cards/s (600,000)', cards: { must: 200_000, aim: 600_000 } };
const COPY_GOAL: Goal = { target: '150 MB/s (copy speed)', bytes: { must: 150 } };
const BACK_GOAL: Goal = { target: 'as fast as tokenize' };

/** Measures every format on SQLite, and a file without a card. */
export async function fileRows(folder: string): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const filter of FILTERS) {
		const file = generate(filter, join(folder, filter), FILE_BYTES);
		const { there, back } = await thereAndBack(folder, filter, file, () => freshSqlite(folder));
		const goal = DELIMITED.includes(filter) ? DELIMITED_GOAL : OTHER_GOAL;
		rows.push(rowOf(`${filter}: tokenize, SQLite, synchronous=FULL`, `files/${filter}/tokenize`, there, goal));
		rows.push(rowOf(`${filter}: detokenize, SQLite`, `files/${filter}/detokenize`, back, BACK_GOAL));
		rmSync(file.path);
	}
	const file = generate('NOCARD', join(folder, 'NOCARD'), FILE_BYTES);
	const { there } = await thereAndBack(folder, 'SIMPLECSV', file, () => freshSqlite(folder));
	rows.push(rowOf('SIMPLECSV without a card', 'files/no card/tokenize', there, COPY_GOAL));
	rmSync(file.path);
	return rows;
}

/** Measures the delimited formats on PostgreSQL. */
export async function postgresRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const filter of DELIMITED) {
		const file = generate(filter, join(folder, filter), FILE_BYTES);
		const { there, back } = await thereAndBack(folder, filter, file, () => postgres.createDatabase());
		rows.push(rowOf(`${filter}: tokenize, PostgreSQL 18`, `postgres/${filter}/tokenize`, there, POSTGRES_GOAL));
		rows.push(rowOf(`${filter}: detokenize, PostgreSQL 18`, `postgres/${filter}/detokenize`, back, BACK_GOAL));
		rmSync(file.path);
	}
	return rows;
}
