// Finds anything that an account has by one typed text: a token, a reference, the last four digits of a card, the name of
// a file, a job, a route, a person, a call. Each kind takes a bounded time, because it reads a few rows by an index, or stops at a
// time limit and says how far it came (decision 15).

import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { Principal } from '../../people/identity/principal.ts';
import type { PortalUser, PortalUsers } from '../../people/portal-users/users.ts';
import type { TokenMetadata } from '../../vault/tokens/token-metadata.ts';
import type { SearchPlace } from '../../vault/tokens/token-search.ts';
import type { Vault } from '../../vault/vault.ts';
import type { JobRow } from '../jobs/job.ts';
import { jobStore } from '../jobs/job-store.ts';
import { routeStore } from '../routes/route-store.ts';
import { readTyped, type SearchKind, type Typed } from './typed-text.ts';

export interface FoundOf<Item> {
	/** The items, at most `limit` of them. */
	readonly items: readonly Item[];
	readonly hasMore: boolean;
}

/** The cards with certain last digits, newest first. */
export interface FoundCards extends FoundOf<TokenMetadata> {
	/** The cards that were stored before this time were not searched; undefined if all were. */
	readonly reached: Date | undefined;
	/** The place at which `vault.search` goes on; undefined if there are no further cards. */
	readonly next: SearchPlace | undefined;
}

/** What was found, by kind. A kind is absent if the text cannot be one, or if the searcher may not see it. */
export interface SearchAnswer<Call> {
	readonly token?: FoundOf<TokenMetadata>;
	readonly reference?: FoundOf<TokenMetadata>;
	readonly lastFour?: FoundCards;
	readonly file?: FoundOf<JobRow>;
	readonly job?: FoundOf<JobRow>;
	readonly route?: FoundOf<string>;
	readonly person?: FoundOf<PortalUser>;
	readonly call?: FoundOf<Call>;
}

/** Who searches, and what they may find: a page gives the kinds for which the viewer has the right. */
export interface Searcher {
	readonly principal: Pick<Principal, 'accountId' | 'ownerId'>;
	readonly may: ReadonlySet<SearchKind>;
}

export interface AccountSearch<Call> {
	/**
	 * Searches what the account of the searcher has. Cards are those of the primary account; jobs, routes, people and calls are
	 * those of the account itself.
	 * @throws ServiceError if the text holds a card number, which then reaches no query. The text itself is in no error.
	 */
	find(searcher: Searcher, text: string): Promise<SearchAnswer<Call>>;
}

/** So many items of each kind are found. */
const LIMIT = 5;
/** A search by last digits stops after this time, so that all kinds together take less than a tenth of a second. */
const CARDS_BUDGET_MS = 40;

export function openSearch<Call>(options: {
	readonly database: Pick<Database, 'knex' | 'dialect'>;
	readonly vault: Pick<Vault, 'findMetadata' | 'listByReference' | 'search'>;
	readonly users: Pick<PortalUsers, 'listNamed'>;
	readonly calls: { find(accountId: Principal['accountId'], id: string): Promise<Call | undefined> };
}): AccountSearch<Call> {
	const { database, vault, users, calls } = options;
	const { dialect } = database;
	const jobs = jobStore(database.knex);
	const routes = routeStore(database.knex);
	const some = <Item>(items: readonly Item[]): FoundOf<Item> => {
		return { items: items.slice(0, LIMIT), hasMore: items.length > LIMIT };
	};
	const one = <Item>(item: Item | undefined): FoundOf<Item> => some(item === undefined ? [] : [item]);

	/** What each kind looks for. A function gives undefined if the text cannot be of its kind. */
	const finders = {
		token: ({ token }, { ownerId }) => token && vault.findMetadata(ownerId, token).then(one),
		reference: ({ text }, { ownerId }) => vault.listByReference(ownerId, text, LIMIT + 1).then(some),
		lastFour: ({ lastFour }, { ownerId }) =>
			lastFour &&
			vault
				.search(ownerId, { ...lastFour, limit: LIMIT, budgetMs: CARDS_BUDGET_MS })
				.then(({ found, next, reached }): FoundCards => {
					const isFull = found.length === LIMIT && next !== undefined;
					return { items: found, hasMore: isFull, next, reached: next && !isFull ? reached : undefined };
				}),
		file: ({ text }, { accountId }) => jobs.listNamed(dialect, accountId, text, LIMIT + 1).then(some),
		job: ({ jobId }, { accountId }) => jobId && jobs.listWithId(accountId, jobId, LIMIT + 1).then(some),
		route: ({ text }, { accountId }) => routes.listNamed(dialect, accountId, text, LIMIT + 1).then(some),
		person: ({ text }, { accountId }) => users.listNamed(accountId, text, LIMIT + 1).then(some),
		call: ({ callId }, { accountId }) => callId && calls.find(accountId, callId).then(one),
	} satisfies Record<SearchKind, (typed: Typed, of: Searcher['principal']) => unknown>;

	return {
		async find({ principal, may }, given) {
			if (holdsCardNumber(given)) {
				throw new ServiceError('bad-input-parameter', {
					field: 'text',
					problem: 'holds a card number; search by its last four digits, or by its token',
					told: told('like-a-card'),
				});
			}
			const typed = readTyped(given);
			if (!typed) return {};
			const kinds = (Object.keys(finders) as SearchKind[]).filter((kind) => may.has(kind));
			const found = await Promise.all(kinds.map((kind) => finders[kind](typed, principal)));
			const entries = kinds.map((kind, nth) => [kind, found[nth]] as const);
			return Object.fromEntries(entries.filter(([, each]) => each !== undefined)) as SearchAnswer<Call>;
		},
	};
}
