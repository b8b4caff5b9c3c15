import type { Knex } from 'knex';
import { type Dialect, hasDetail, jsonText } from '../../base/database/dialect.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { AuditRow } from '../audit-store.ts';
import type { IndexedPart, Place } from './trail-object.ts';

/** Places of which an entry has at least one. */
export type Condition = readonly Place[];

export interface EntryRange {
	readonly first: number;
	readonly last: number;
}

/** Whether the latest or the earliest entries of a range are wanted. */
export type Order = 'asc' | 'desc';

export interface Wanted {
	readonly range: EntryRange;
	readonly order: Order;
	/** Conditions that must be fulfilled beside the one by which entries are found. */
	readonly others: readonly Condition[];
	readonly limit: number;
}

/** The index of each part on SQLite, which a migration made. */
const INDEX_OF: Readonly<Record<IndexedPart, string>> = {
	subject: 'audit_by_thing',
	page: 'audit_by_page',
	actor: 'audit_by_actor',
	action: 'audit_by_action',
	account: 'audit_by_account',
	otherAccount: 'audit_by_other',
	credential: 'audit_by_credential',
	request: 'audit_by_request',
	destination: 'audit_by_destination',
	name: 'audit_by_name',
};

/** What the index of a part is limited to, as the migration has it. */
const WITHIN: Partial<Readonly<Record<IndexedPart, string>>> = {
	subject: ' and page_id is null',
	otherAccount: ' and by_account_id <> account_id',
};

/** The columns of the parts that are not called as theirs. */
const COLUMNS: Partial<Readonly<Record<IndexedPart, string>>> = {
	page: 'page_id',
	account: 'account_id',
	otherAccount: 'by_account_id',
};

/** The parts that stand in the details of an entry, each with the names that they have there. */
const DETAILS: Partial<Readonly<Record<IndexedPart, readonly string[]>>> = {
	credential: ['credential'],
	request: ['requestId'],
	destination: ['destination'],
	name: ['name', 'fileName', 'profile'],
};

interface Sql {
	readonly sql: string;
	readonly values: readonly (string | number)[];
}

/** Reads the trail by the indexes that migrations have made for it; each method is a single statement. */
export function questionStore(knex: Knex, dialect: Dialect) {
	const read = <Row>({ sql, values }: Sql): Promise<Row[]> => queryRows<Row>(knex, sql, values);
	const detail = (name: string) => jsonText(dialect, 'details', name);
	const isAt = ({ part, value }: Place): Sql => {
		const names = DETAILS[part];
		const given = names ? jsonText(dialect, 'details', ...names) : (COLUMNS[part] ?? part);
		const within = names && dialect === 'postgres' ? ` and ${hasDetail('details', names)}` : (WITHIN[part] ?? '');
		return { sql: `${given} = ?${within}`, values: [value] };
	};
	/** Returns what a place says beyond the part that has the index. */
	const restOf = ({ subject, actions, numbers }: Place): Sql[] => {
		const rest: Sql[] = [];
		if (subject !== undefined) rest.push({ sql: 'subject = ?', values: [subject] });
		if (actions) {
			const begins = actions.map(() => 'action like ?').join(' or ');
			rest.push({ sql: `(${begins})`, values: actions.map((text) => `${text}%`) });
		}
		if (numbers) {
			const { names, value } = numbers;
			const equal = names.map((name) => `${detail(name)} = ?`).join(' or ');
			rest.push({ sql: `(${equal})`, values: names.map(() => (dialect === 'postgres' ? String(value) : value)) });
		}
		return rest;
	};
	const all = (parts: readonly Sql[]): Sql => ({
		sql: parts.map(({ sql }) => sql).join(' and '),
		values: parts.flatMap(({ values }) => values),
	});
	const inRange = ({ first, last }: EntryRange): Sql => ({ sql: 'seq between ? and ?', values: [first, last] });
	const fulfils = (condition: Condition): Sql => {
		const places = condition.map((place) => all([isAt(place), ...restOf(place)]));
		return { sql: `(${places.map(({ sql }) => sql).join(' or ')})`, values: places.flatMap(({ values }) => values) };
	};
	/**
	 * Selects the numbers of the first entries that have a place and fulfil the other conditions. They are read in the order
	 * of the index of the place, whatever the database thinks of the others.
	 */
	const numbersAt = (place: Place, { range, order, others, limit }: Wanted): Sql => {
		const at = all([isAt(place), inRange(range)]);
		const rest = [...restOf(place), ...others.map(fulfils)];
		const end = `order by seq ${order} limit ${limit}`;
		if (rest.length === 0) return { sql: `select seq from audit where ${at.sql} ${end}`, values: at.values };
		const { sql, values } = all(rest);
		const found =
			dialect === 'sqlite'
				? `audit indexed by ${INDEX_OF[place.part]} where ${at.sql} and`
				: `(select * from audit where ${at.sql} order by seq ${order} offset 0) audit where`;
		return { sql: `select seq from ${found} ${sql} ${end}`, values: [...at.values, ...values] };
	};
	/** Selects the numbers of the entries that fulfil the driver and the other conditions, each once, in no order. */
	const numbersOf = (driver: Condition, wanted: Wanted): Sql => {
		const found = driver.map((place) => numbersAt(place, wanted));
		return {
			sql: found.map(({ sql }) => `select seq from (${sql}) place`).join(' union '),
			values: found.flatMap(({ values }) => values),
		};
	};
	const selected = (driver: Condition | undefined, wanted: Wanted): Sql => {
		const { range, order, limit } = wanted;
		const end = `order by audit.seq ${order} limit ${limit}`;
		if (!driver) {
			const { sql, values } = inRange(range);
			return { sql: `select * from audit where ${sql} ${end}`, values };
		}
		const { sql, values } = numbersOf(driver, wanted);
		// `cross join` keeps SQLite from reading the whole table and looking each entry up among the numbers.
		return { sql: `select audit.* from (${sql}) found cross join audit where audit.seq = found.seq ${end}`, values };
	};

	return {
		async list(driver: Condition | undefined, wanted: Wanted): Promise<AuditRow[]> {
			return read<AuditRow>(selected(driver, wanted));
		},
		async count(driver: Condition, wanted: Wanted): Promise<number> {
			const { sql, values } = numbersOf(driver, wanted);
			const counted = `select count(*) as count from (select 1 from (${sql}) wanted limit ${wanted.limit}) counted`;
			const [{ count }] = await read<{ count: number }>({ sql: counted, values });
			return count;
		},
		/**
		 * Returns the number of the entry at which a place has come up `most` times, counted from the end of the range where
		 * the order begins, or undefined if it does not come up as often.
		 */
		async findHorizon(
			place: Place,
			{ range, order }: Pick<Wanted, 'range' | 'order'>,
			most: number,
		): Promise<number | undefined> {
			const { sql, values } = all([isAt(place), inRange(range)]);
			const rows = await read<{ seq: number }>({
				sql: `select seq from audit where ${sql} order by seq ${order} limit 1 offset ${most - 1}`,
				values,
			});
			return rows[0]?.seq;
		},
		/** Lists the actions that entries have. It reads one entry of each. */
		async listActions(): Promise<string[]> {
			const rows = await read<{ action: string }>({
				sql: `with recursive kinds (action) as (
						select min(action) from audit
						union all
						select (select min(action) from audit where audit.action > kinds.action) from kinds where action is not null
					) select action from kinds where action is not null order by action`,
				values: [],
			});
			return rows.map(({ action }) => action);
		},
	};
}
