import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { PageRow } from '../pages/page-store.ts';
import { PAGE_KINDS } from '../pages/record-codec.ts';

/** The place of a page in a list ordered by creation time. */
export interface PagePlace {
	readonly createdAt: number;
	readonly page: number;
}

/** What a search needs of a page to put it into its place and to count its cards. */
export type PageKey = Pick<PageRow, 'id' | 'created_at' | 'live'>;

export interface PageQuestion {
	readonly accountId: AccountId;
	/** Selects only pages that hold cards stored by this user of the account. */
	readonly creatorId?: AccountId;
	/** Selects only pages that were created at `since` or later and before `until`, in milliseconds since 1970. */
	readonly since?: number;
	readonly until?: number;
}

export interface PagesWanted extends PageQuestion {
	/** The search continues at this page and finds it again; without it the search begins at the end of the list. */
	readonly from?: PagePlace;
	/** Whether the pages follow each other from older to newer ones; otherwise from newer to older ones. */
	readonly isForward: boolean;
	readonly limit: number;
}

const KEY = ['p.id', 'p.created_at', 'p.live'] as const;

/**
 * Returns methods that search the table `pages`, each with a single SQL statement. Pages that may still be dropped are left
 * out.
 */
export function searchStore(knex: Knex, dialect: Dialect) {
	/** @param ofAccount the columns of account and kind; with a plus, no index over them is used */
	const select = (
		{ accountId, creatorId, since, until }: PageQuestion,
		ofAccount: readonly [account: string, kind: string] = ['p.account_id', 'p.kind'],
	) => {
		const pages = knex('pages as p')
			.whereRaw(`${ofAccount[0]} = ?`, [accountId])
			.whereRaw(`${ofAccount[1]} = ?`, [PAGE_KINDS.cards])
			.whereNotExists(knex('page_blocks as b').whereRaw('p.id between b.first and b.last').select(knex.raw('1')));
		if (creatorId !== undefined) void pages.andWhere('p.creator_id', creatorId);
		if (since !== undefined) void pages.andWhere('p.created_at', '>=', since);
		if (until !== undefined) void pages.andWhere('p.created_at', '<', until);
		return pages;
	};
	const list = ({ from, isForward, limit, ...question }: PagesWanted) => {
		const order = isForward ? 'asc' : 'desc';
		const pages = select(question).orderBy([
			{ column: 'p.created_at', order },
			{ column: 'p.id', order },
		]);
		if (from)
			void pages.andWhereRaw(`(p.created_at, p.id) ${isForward ? '>=' : '<='} (?, ?)`, [from.createdAt, from.page]);
		return pages.limit(limit);
	};
	return {
		/** Lists pages in the order of their time. */
		async list(wanted: PagesWanted): Promise<PageRow[]> {
			return (await list(wanted).select('p.*')) as PageRow[];
		},
		/** Lists the keys of pages in the order of their time. */
		async listKeys(wanted: PagesWanted): Promise<PageKey[]> {
			return (await list(wanted).select(KEY)) as PageKey[];
		},
		/** Returns the keys of those of some pages that fit, in no order. */
		async findKeys(ids: readonly number[], question: PageQuestion): Promise<PageKey[]> {
			// The ids are the way to the pages, and are bound as one value. Without the plus, SQLite might read all of the account.
			const pages = select(question, ['+p.account_id', '+p.kind']);
			if (dialect === 'postgres') void pages.whereRaw('p.id = any(?)', [ids as never]);
			else void pages.whereRaw('p.id in (select value from json_each(?))', [JSON.stringify(ids)]);
			return (await pages.select(KEY)) as PageKey[];
		},
		/** Counts the cards on all pages that fit, until there are `most`. */
		async countCards(question: PageQuestion, most: number): Promise<number> {
			// A page has a card at least, so that this many pages have them.
			const pages = select(question).select('p.live').limit(most).as('counted');
			const [{ cards }] = await knex.from(pages).sum({ cards: 'live' });
			return Math.min(Number(cards ?? 0), most);
		},
	};
}
