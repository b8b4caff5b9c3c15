// Lists jobs, the newest first, as people look for them page by page, and as calls and commands ask for them. Every page takes
// a bounded time however many jobs there are, because days are turned into a range of positions and names are found by their
// beginning; only a part of a name is looked for in the names of all.

import type { Knex } from 'knex';
import { beginsWith, byIndex, byteOrdered, type Dialect } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { countUpTo, DISORDER_MS, type NewestPage, readFrom, readNewest } from '../../base/database/newest.ts';
import type { JobRow, JobState } from './job.ts';

/** Selects jobs that fit everything that is given. */
export interface JobQuestion {
	readonly show?: 'waiting' | 'failed' | 'refused';
	readonly filter?: string;
	/** The text with which the file name begins. */
	readonly name?: string;
	/** Selects jobs accepted from this moment on, and before that one, in milliseconds since 1970. */
	readonly fromMs?: number;
	readonly toMs?: number;
}

/** If so many jobs have a name, some are found soon by going back in time; fewer are found by the name and then sorted. */
const MANY_NAMED = 2_000;
/** If nothing but a name is asked for, so many are found by the index of names alone, which holds all that sorting them needs. */
const MANY_SORTED = 200_000;
/** A name, or a part of one, is looked for in so many of the nearest jobs first. */
const NEAR = 20_000;

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
		return found && Number(found.seq);
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

/** @param manySorted the most jobs with a name that are sorted to find the newest of them */
export function jobPages(knex: Knex, dialect: Dialect, manySorted = MANY_SORTED) {
	const jobsOf = (accountId: AccountId) => knex<JobRow>('jobs').where({ account_id: accountId });
	const named = (query: ReturnType<typeof jobsOf>, name: string, column = 'name') =>
		query.whereRaw(...beginsWith(dialect, column, name));
	/** Returns the jobs that fit, not read yet, as they are in an object; undefined if there can be none. */
	const select = async (accountId: AccountId, { show, filter, name, fromMs, toMs }: JobQuestion) => {
		const query = jobsOf(accountId);
		if (show === 'refused') void query.where('refused', '>', 0);
		// The state is a literal and not a binding, so that SQLite uses the index that contains only failed jobs.
		else if (show === 'failed') void query.whereRaw(`state = 'failed'`);
		else if (show === 'waiting') void query.whereIn('state', ['queued', 'running']);
		if (filter !== undefined) void query.where({ filter });
		const isRare =
			name !== undefined && (await countUpTo(knex, named(jobsOf(accountId), name), MANY_NAMED)) < MANY_NAMED;
		// On SQLite a plus keeps the index of names, or the order of positions, from being used.
		if (name !== undefined) void named(query, name, isRare || dialect === 'postgres' ? 'name' : '+name');
		if (!(await keepAcceptedWithin(knex, query, { fromMs, toMs }))) return undefined;
		return { query, order: isRare ? '+seq' : 'seq' };
	};
	/** Lists the jobs with a name, of which there may be many, but only among the oldest. */
	const listNamed = async (accountId: AccountId, name: string, page: NewestPage<number>): Promise<JobRow[]> => {
		const backInTime = () => named(jobsOf(accountId), name, dialect === 'postgres' ? 'name' : '+name');
		const end = await findNear(knex, accountId, page);
		const isForward = page.newer !== undefined;
		const near = backInTime();
		if (end !== undefined) void near.where('seq', isForward ? '<=' : '>=', end);
		const found = await readNewest<JobRow>(near, 'seq', page);
		if (end === undefined || found.length === page.limit) return found;
		const byName = () => named(jobsOf(accountId), name);
		if ((await countUpTo(knex, byName(), manySorted)) === manySorted) return readNewest(backInTime(), 'seq', page);
		const keys = await readNewest<Pick<JobRow, 'seq'>>(byName().select('seq'), 'seq', page, '+seq');
		const wanted = keys.map(({ seq }) => seq);
		return (await knex<JobRow>('jobs').whereIn('seq', wanted).orderBy('seq', 'desc')) as JobRow[];
	};
	/** Returns the name, if nothing else is asked for. */
	const nameAlone = ({ name, ...others }: JobQuestion) =>
		Object.values(others).every((each) => each === undefined) ? name : undefined;
	return {
		async list(accountId: AccountId, question: JobQuestion, page: NewestPage<number>): Promise<JobRow[]> {
			const name = nameAlone(question);
			if (name !== undefined) return listNamed(accountId, name, page);
			const selected = await select(accountId, question);
			if (selected === undefined) return [];
			return readNewest(selected.query, 'seq', page, selected.order);
		},
		async count(accountId: AccountId, question: JobQuestion, most: number): Promise<number> {
			const name = nameAlone(question);
			if (name !== undefined) return countUpTo(knex, named(jobsOf(accountId), name), most);
			const selected = await select(accountId, question);
			return selected === undefined ? 0 : countUpTo(knex, selected.query, most);
		},
	};
}

export interface JobFilter {
	readonly accountId?: AccountId;
	readonly state?: JobState;
	readonly fromMs?: number;
	readonly toMs?: number;
	/** Selects jobs of this filter, which is the folder's name. */
	readonly filter?: string;
	readonly reasons?: readonly string[];
	/** Selects jobs whose name contains this text, in the same case. */
	readonly namePart?: string;
	readonly offset?: number;
	readonly limit: number;
}

/** Lists jobs, newest first. */
export async function listNewestJobs(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	filter: JobFilter,
): Promise<JobRow[]> {
	const { namePart } = filter;
	if (!namePart) return read(database, filter, () => undefined);
	const { knex, dialect } = database;
	// Unlike `like`, these are case-sensitive and have no wildcards. In the order of bytes it is the column that the index holds.
	const contains = dialect === 'postgres' ? `strpos(${byteOrdered(dialect, 'name')}, ?) > 0` : 'instr(name, ?) > 0';
	const begin = await findNear(knex, filter.accountId, {});
	const recent = await read(database, filter, (query) => {
		query.whereRaw(contains, [namePart]);
		if (begin !== undefined) query.where('seq', '>=', begin);
	});
	if (begin === undefined || recent.length === filter.limit) return recent;
	// The index of names is a small part of the table, and reading all of it takes a tenth of the time.
	const { accountId, offset = 0, limit, namePart: _, ...others } = filter;
	const from = accountId === undefined ? 'jobs' : byIndex(dialect, 'jobs', 'jobs_by_typed_name');
	const named = knex.from(knex.raw(from)).whereRaw(contains, [namePart]).select('seq');
	if (accountId !== undefined) {
		named.where({ account_id: accountId });
		// PostgreSQL would make one query of both and read the table, and estimates that a third of all jobs have the name. The
		// order is that of the index, and the offset keeps the query apart.
		if (dialect === 'postgres') named.orderByRaw(`${byteOrdered(dialect, 'name')} offset 0`);
	}
	if (Object.values(others).some((each) => each !== undefined))
		return read(database, filter, (query) => query.whereIn('seq', named));
	const wanted = knex.from(named.as('named')).orderBy('seq', 'desc').offset(offset).limit(limit).select('seq');
	return (await knex<JobRow>('jobs')
		.whereIn('seq', knex.from(wanted.as('wanted')).select('seq'))
		.orderBy('seq', 'desc')) as JobRow[];
}

/** Returns the position up to which there are `NEAR` jobs, from where a page begins; undefined if there are fewer. */
async function findNear(
	knex: Knex,
	accountId: AccountId | undefined,
	{ older, newer }: Pick<NewestPage<number>, 'older' | 'newer'>,
): Promise<number | undefined> {
	const query = knex<JobRow>('jobs').offset(NEAR);
	if (accountId !== undefined) query.where({ account_id: accountId });
	if (older !== undefined) query.where('seq', '<', older);
	if (newer !== undefined) query.where('seq', '>', newer);
	query.orderBy('seq', newer === undefined ? 'desc' : 'asc');
	const found = await query.first('seq');
	return found && Number(found.seq);
}

async function read(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	{ accountId, state, fromMs, toMs, filter, reasons, offset = 0, limit }: JobFilter,
	narrow: (query: Knex.QueryBuilder) => void,
): Promise<JobRow[]> {
	// Few jobs run at a time, and their index contains no others. SQLite would read all jobs, because that gives the order.
	const from = state === 'running' ? byIndex(dialect, 'jobs', 'jobs_running') : 'jobs';
	const query = knex.from(knex.raw(from));
	if (accountId !== undefined) query.where({ account_id: accountId });
	// The state is a literal and not a binding, so that the indexes serve that contain only jobs of one state.
	if (state !== undefined) query.whereRaw(`state = '${state satisfies JobState}'`);
	if (!(await keepAcceptedWithin(knex, query, { fromMs, toMs }))) return [];
	if (filter !== undefined) query.where({ filter });
	if (reasons !== undefined) query.whereIn('error_reason', reasons);
	narrow(query);
	return readFrom<JobRow>(knex, { table: 'jobs', key: 'seq', query }, { offset, limit, order: 'desc' });
}
