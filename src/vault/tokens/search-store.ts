import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import type { PageRow } from '../pages/page-store.ts';
import { PAGE_KINDS } from '../pages/record-codec.ts';

/** The place of a page in a list ordered by creation time. */
export interface PagePlace {
	readonly createdAt: number;
	readonly page: number;
}

export interface PagesWanted {
	readonly accountId: AccountId;
	/** Selects only pages that hold cards stored by this user of the account. */
	readonly creatorId?: AccountId;
	/** Selects only pages that were created at `since` or later and before `until`, in milliseconds since 1970. */
	readonly since?: number;
	readonly until?: number;
	/** The search continues at this page and finds it again; without it the search begins with the newest page. */
	readonly from?: PagePlace;
	readonly limit: number;
}

export function searchStore(knex: Knex) {
	return {
		/** Lists pages with cards of an account, newest first, without pages that may still be dropped. */
		async listNewest({ accountId, creatorId, since, until, from, limit }: PagesWanted): Promise<PageRow[]> {
			const pages = knex('pages as p')
				.where({ 'p.account_id': accountId, 'p.kind': PAGE_KINDS.cards })
				.whereNotExists(knex('page_blocks as b').whereRaw('p.id between b.first and b.last').select(knex.raw('1')))
				.orderBy([
					{ column: 'p.created_at', order: 'desc' },
					{ column: 'p.id', order: 'desc' },
				])
				.limit(limit)
				.select('p.*');
			if (creatorId !== undefined) void pages.andWhere('p.creator_id', creatorId);
			if (since !== undefined) void pages.andWhere('p.created_at', '>=', since);
			if (until !== undefined) void pages.andWhere('p.created_at', '<', until);
			if (from) void pages.andWhereRaw('(p.created_at, p.id) <= (?, ?)', [from.createdAt, from.page]);
			return (await pages) as PageRow[];
		},
	};
}
