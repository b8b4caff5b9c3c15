// Lists jobs, the newest first, as people look for them page by page, and as calls and commands ask for them. Every page takes
// a bounded time however many jobs there are, because days are turned into a range of positions; only a part of a name is
// looked for in the names of all, which an index holds.

import type { Knex } from 'knex';
import { byIndex, byteOrdered, type Dialect } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { countUpTo, DISORDER_MS, type ListPage, readFrom, readListPage } from '../../base/database/list-page.ts';
import type { JobRow, JobState } from './job.ts';

/** What jobs are asked for: those of a state, those that wait or run, or those with refused cards. */
export type JobChoice = JobState | 'waiting' | 'refused';

/** Selects jobs that fit everything that is given. */
export interface JobQuestion {
	readonly accountId?: AccountId;
	readonly state?: JobChoice;
	/** Selects jobs of this filter, which is the folder's name. */
	readonly filter?: string;
	/** Selects jobs whose name contains this text, in the same case. */
	readonly namePart?: string;
	/** Selects jobs accepted from this moment on, and before that one, in milliseconds since 1970. */
	readonly fromMs?: number;
	readonly toMs?: number;
	/** Selects jobs that failed for one of these reasons. */
	readonly reasons?: readonly string[];
}

export interface JobPage extends ListPage<number> {
	/** This many of the newest jobs are skipped. */
	readonly offset?: number;
}

export type JobFilter = JobQuestion & JobPage;

interface Reading {
	readonly knex: Knex;
	readonly dialect: Dialect;
}

/** A part of a name is looked for in so many of the nearest jobs first. */
const NEAR = 20_000;
/** If no more jobs than this have a part of a name, they are found along the index of names, and then sorted. */
const FEW_NAMED = 20_000;

/**
 * Narrows a query over jobs to those that were accepted in a period, by their positions and then exactly. Returns false if
 * there are none.
 */
export async function keepAcceptedWithin(
	knex: Knex,
	query: Knex.QueryBuilder,
	{ fromMs, toMs }: { readonly fromMs?: number; readonly toMs?: number },
): Promise<boolean> {
	/** Returns the position of the first job since a moment, or of the last one before it. */
	const positionAt = async (comparison: '>=' | '<', ms: number): Promise<number | undefined> => {
		const order = comparison === '>=' ? 'asc' : 'desc';
		const jobs = knex<JobRow>('jobs').where('created_at', comparison, ms);
		const found = await jobs.orderBy('created_at', order).first('seq');
		return found?.seq;
	};
	if (fromMs !== undefined) {
		const first = await positionAt('>=', fromMs - DISORDER_MS);
		if (first === undefined) return false;
		void query.where('seq', '>=', first).where('created_at', '>=', fromMs);
	}
	if (toMs !== undefined) {
		const last = await positionAt('<', toMs + DISORDER_MS);
		if (last === undefined) return false;
		void query.where('seq', '<=', last).where('created_at', '<', toMs);
	}
	return true;
}

export async function listNewestJobs(database: Reading, filter: JobFilter): Promise<JobRow[]> {
	const { after, before, offset, limit, ...question } = filter;
	return askJobs(database, question).list({ after, before, offset, limit });
}

/**
 * Returns what a question about jobs finds, page by page, and how many fit. Jobs with a part of a name are looked up once for
 * all that is asked of it.
 * @param few the most jobs with a part of a name that are sorted after they were found by it
 */
export function askJobs(database: Reading, { namePart, ...question }: JobQuestion, few = FEW_NAMED) {
	const { knex, dialect } = database;
	const { accountId } = question;
	// An empty part is in every name.
	if (!namePart) {
		return {
			list: (page: JobPage) => read(database, question, page),
			async count(most: number): Promise<number> {
				const selected = await select(database, question);
				return selected === undefined ? 0 : countUpTo(knex, selected.query, most);
			},
		};
	}
	// Unlike `like`, these are case-sensitive and have no wildcards. In the order of bytes it is the column that the index holds.
	const contains = dialect === 'postgres' ? `strpos(${byteOrdered(dialect, 'name')}, ?) > 0` : 'instr(name, ?) > 0';
	const keepNamed = (query: Knex.QueryBuilder) => void query.whereRaw(contains, [namePart]);
	const isNameAlone = Object.entries(question).every(([key, value]) => key === 'accountId' || value === undefined);
	/** Selects the positions of jobs along the index of names, a small part of the table, which takes a tenth of the time. */
	const alongNames = () => {
		const from = accountId === undefined ? 'jobs' : byIndex(dialect, 'jobs', 'jobs_by_typed_name');
		const named = knex.from(knex.raw(from)).whereRaw(contains, [namePart]).select('seq');
		if (accountId === undefined) return named;
		named.where({ account_id: accountId });
		// PostgreSQL would read the table, and estimates that a third of all jobs have the name. The order is that of the index,
		// and the offset keeps the query apart from one around it.
		return dialect === 'postgres' ? named.orderByRaw(`${byteOrdered(dialect, 'name')} offset 0`) : named;
	};
	let looked: Promise<readonly number[] | undefined> | undefined;
	/** Returns the positions of all jobs that fit, the newest first; undefined if more than `few` have the name. */
	const findFew = () => (looked ??= lookUp());
	const lookUp = async () => {
		const named = seqsOf(await alongNames().limit(few + 1));
		if (named.length > few) return undefined;
		const selected = isNameAlone || named.length === 0 ? undefined : await select(database, question, named);
		const fitting = isNameAlone ? named : selected ? seqsOf(await selected.query.select('seq')) : [];
		return fitting.sort((one, another) => another - one);
	};
	const findBySeq = async (seqs: readonly number[]) =>
		(await knex<JobRow>('jobs')
			.whereIn('seq', seqs as number[])
			.orderBy('seq', 'desc')) as JobRow[];
	return {
		async list(page: JobPage): Promise<JobRow[]> {
			const end = await findNear(knex, accountId, page);
			const near = await read(database, question, page, (query) => {
				keepNamed(query);
				if (end !== undefined) void query.where('seq', page.before === undefined ? '>=' : '<=', end);
			});
			if (end === undefined || near.length === page.limit) return near;
			const seqs = await findFew();
			if (seqs !== undefined) return findBySeq(pageOf(seqs, page));
			if (!isNameAlone) return read(database, question, page, keepNamed);
			const all = knex.from(alongNames().as('named')).select('seq');
			return findBySeq(seqsOf(await readPage(knex, all, page)));
		},
		async count(most: number): Promise<number> {
			const seqs = await findFew();
			if (seqs !== undefined) return Math.min(seqs.length, most);
			if (isNameAlone && most <= few) return most;
			const selected = await select(database, question);
			if (selected === undefined) return 0;
			keepNamed(selected.query);
			return countUpTo(knex, selected.query, most);
		},
	};
}

function seqsOf(rows: readonly { readonly seq: number }[]): number[] {
	return rows.map(({ seq }) => seq);
}

/** Returns a page of positions that are all there, the newest first. */
function pageOf(seqs: readonly number[], { after, before, offset = 0, limit }: JobPage): readonly number[] {
	if (before !== undefined) return seqs.filter((seq) => seq > before).slice(-limit);
	return seqs.filter((seq) => after === undefined || seq < after).slice(offset, offset + limit);
}

/** Returns the position up to which there are `NEAR` jobs, from where a page begins; undefined if there are fewer. */
async function findNear(
	knex: Knex,
	accountId: AccountId | undefined,
	{ after, before }: Pick<ListPage<number>, 'after' | 'before'>,
): Promise<number | undefined> {
	const query = knex<JobRow>('jobs').offset(NEAR);
	if (accountId !== undefined) query.where({ account_id: accountId });
	if (after !== undefined) query.where('seq', '<', after);
	if (before !== undefined) query.where('seq', '>', before);
	query.orderBy('seq', before === undefined ? 'desc' : 'asc');
	const found = await query.first('seq');
	return found?.seq;
}

/**
 * Returns the jobs that fit everything but a name, not read yet, as they are in an object; undefined if there can be none.
 * @param seqs the positions of all that are looked at, if they are known
 */
async function select(
	{ knex, dialect }: Reading,
	{ accountId, state, fromMs, toMs, filter, reasons }: Omit<JobQuestion, 'namePart'>,
	seqs?: readonly number[],
): Promise<{ readonly query: Knex.QueryBuilder } | undefined> {
	// Few jobs run at a time, and their index contains no others. SQLite would read all jobs, because that gives the order.
	const from = state === 'running' ? byIndex(dialect, 'jobs', 'jobs_running') : 'jobs';
	// Known positions are looked up one by one. SQLite would go through an index instead, because that gives the order.
	const known = dialect === 'sqlite' ? 'jobs not indexed' : 'jobs';
	const query = knex.from(knex.raw(seqs === undefined ? from : known));
	if (accountId !== undefined) query.where({ account_id: accountId });
	// States are literals and not bindings, so that the indexes serve that contain only jobs of one state.
	if (state === 'refused') query.where('refused', '>', 0);
	else if (state === 'waiting') query.whereIn('state', ['queued', 'running']);
	else if (state !== undefined) query.whereRaw(`state = '${state satisfies JobState}'`);
	if (!(await keepAcceptedWithin(knex, query, { fromMs, toMs }))) return undefined;
	if (filter !== undefined) query.where({ filter });
	if (reasons !== undefined) query.whereIn('error_reason', reasons);
	if (seqs !== undefined) {
		// All positions are bound as one value, so that a statement may have any number of them.
		if (dialect === 'postgres') query.whereRaw('seq = any(?)', [seqs as never]);
		else query.whereRaw('seq in (select value from json_each(?))', [JSON.stringify(seqs)]);
	}
	return { query };
}

async function read(
	database: Reading,
	question: Omit<JobQuestion, 'namePart'>,
	page: JobPage,
	narrow: (query: Knex.QueryBuilder) => void = () => {},
): Promise<JobRow[]> {
	const selected = await select(database, question);
	if (selected === undefined) return [];
	narrow(selected.query);
	return readPage(database.knex, selected.query, page);
}

function readPage(knex: Knex, query: Knex.QueryBuilder, { offset = 0, ...page }: JobPage): Promise<JobRow[]> {
	if (offset === 0) return readListPage<JobRow>(query, 'seq', page);
	return readFrom<JobRow>(knex, { table: 'jobs', key: 'seq', query }, { offset, limit: page.limit, order: 'desc' });
}
