import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVariables } from '../helpers/start-command.ts';
import { type BenchFile, generate } from './generate.ts';
import type { BenchPostgres } from './postgres.ts';
import { type BenchRow, median } from './table.ts';
import type { TransferOnce, TransferOnceResult } from './transfer-once.ts';

export const FILE_BYTES = 100_000_000;
const RUNS = 3;
const ONCE = fileURLToPath(new URL('./transfer-once.ts', import.meta.url));

/** Runs one pass in a process of its own. */
export function transferOnce(task: TransferOnce): TransferOnceResult {
	const env = { ...process.env, ...startVariables };
	return JSON.parse(execFileSync(process.execPath, [ONCE, JSON.stringify(task)], { encoding: 'utf8', env }));
}

function describe(results: readonly TransferOnceResult[]): string {
	const rate = median(results.map((each) => each.bytes / 1e6 / each.seconds));
	const cards = median(results.map((each) => each.cards / each.seconds));
	const text = `${rate.toFixed(0)} MB/s`;
	return cards > 0 ? `${Math.round(cards / 1000)},000 cards/s, ${text}` : text;
}

async function digestOf(path: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path)) hash.update(chunk);
	return hash.digest('hex');
}

/** There and back three times, each into a database of its own; the way back must give the same bytes. */
export async function thereAndBack(
	folder: string,
	filter: string,
	file: BenchFile,
	databaseFor: () => Promise<string>,
): Promise<{ there: TransferOnceResult[]; back: TransferOnceResult[] }> {
	const [output, restored] = [join(folder, 'tokenized'), join(folder, 'restored')];
	const there: TransferOnceResult[] = [];
	const back: TransferOnceResult[] = [];
	for (let n = 0; n < RUNS; n++) {
		const databaseUrl = await databaseFor();
		there.push(transferOnce({ databaseUrl, filter, direction: 'tokenize', input: file.path, output }));
		back.push(transferOnce({ databaseUrl, filter, direction: 'detokenize', input: output, output: restored }));
	}
	if ((await digestOf(restored)) !== (await digestOf(file.path))) throw new Error(`${filter}: not identical`);
	rmSync(output);
	rmSync(restored);
	return { there, back };
}

/** An empty SQLite database, the one before removed. */
export async function freshSqlite(folder: string): Promise<string> {
	const path = join(folder, 'vault.sqlite');
	for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
	return `sqlite:${path}`;
}

const DELIMITED = ['CSV', 'SIMPLECSV', 'GBT'];
const DELIMITED_TARGET = '300,000 cards/s, 35 MB/s (700,000 cards/s)';
const OTHER_TARGET = '25 MB/s (60 MB/s)';

/** Every format on SQLite, and a file without a card. */
export async function fileRows(folder: string): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const filter of [...DELIMITED, 'AIR', 'IUR', 'TADC', 'SIMPLEJSON']) {
		const file = generate(filter, join(folder, filter), FILE_BYTES);
		const { there, back } = await thereAndBack(folder, filter, file, () => freshSqlite(folder));
		const target = DELIMITED.includes(filter) ? DELIMITED_TARGET : OTHER_TARGET;
		rows.push({ what: `${filter}: tokenize, SQLite, synchronous=FULL`, result: describe(there), target });
		rows.push({ what: `${filter}: detokenize, SQLite`, result: describe(back), target: 'as fast as tokenize' });
		rmSync(file.path);
	}
	const file = generate('NOCARD', join(folder, 'NOCARD'), FILE_BYTES);
	const { there } = await thereAndBack(folder, 'SIMPLECSV', file, () => freshSqlite(folder));
	rows.push({ what: 'SIMPLECSV without a card', result: describe(there), target: '150 MB/s (copy speed)' });
	rmSync(file.path);
	return rows;
}

/** The delimited formats on PostgreSQL. */
export async function postgresRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const filter of DELIMITED) {
		const file = generate(filter, join(folder, filter), FILE_BYTES);
		const { there, back } = await thereAndBack(folder, filter, file, () => postgres.createDatabase());
		const target = '200,000 cards/s (600,000)';
		rows.push({ what: `${filter}: tokenize, PostgreSQL 18`, result: describe(there), target });
		rows.push({ what: `${filter}: detokenize, PostgreSQL 18`, result: describe(back), target: 'as fast as tokenize' });
		rmSync(file.path);
	}
	return rows;
}
