// Answers questions about the trail: which entries are about a thing, by somebody, of a kind, of some days. Every answer
// takes a bounded time however long the trail is, because one condition finds entries by an index, and of what it finds
// only so many are compared with the others. Where that is not enough, the answer says how far it has come.

import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { Actor } from '../actor.ts';
import type { Audit } from '../audit.ts';
import { type AuditRow, auditStore } from '../audit-store.ts';
import type { AuditDetails } from '../entry.ts';
import { type Condition, type EntryRange, type Order, questionStore } from './question-store.ts';
import { type TrailEntry, trailEntry } from './trail-entry.ts';
import { placesBy, placesOf, placesOnPages, type TrailAuthor, type TrailObject } from './trail-object.ts';

/** What somebody wants to know. An entry has to fit everything that is given. */
export interface TrailQuestion {
	/** Selects entries about a thing, or by it if it can act: `who saw this card`. */
	readonly about?: TrailObject;
	/** Selects entries by somebody: `what has this key done`. */
	readonly by?: TrailAuthor;
	/** Selects actions by name (`card.relay`), or all of an area (`card`). */
	readonly kinds?: readonly string[];
	/** Selects entries from this moment on, and up to that one with it, in milliseconds since 1970. */
	readonly since?: number;
	readonly until?: number;
}

/** A page of a list. Positions are numbers of entries, so a page stays the same while the trail grows. */
export interface TrailPage {
	/** The page with the latest entries before this one. */
	readonly before?: number;
	/** The page with the earliest entries after this one. */
	readonly after?: number;
	/** The most entries of the page; 50 by default. */
	readonly limit?: number;
}

export interface TrailAnswer {
	/** The entries, the latest first. There may be fewer than the limit, and even none, although `older` is given. */
	readonly entries: readonly TrailEntry[];
	/** The position `before` of the page with older entries; undefined if there are none. */
	readonly older: number | undefined;
	/** The position `after` of the page with newer entries; undefined if this is the first page. */
	readonly newer: number | undefined;
	/** The number of entries that fit, on all pages. */
	readonly count: number;
	/** True if there may be more than `count`, because no more were counted. */
	readonly isAtLeast: boolean;
}

/** An account of any kind whose people ask. */
export interface TrailAccount {
	readonly accountId: AccountId;
	readonly userId: string;
	/** The primary account: the account itself, or its parent. */
	readonly ownerId: AccountId;
}

/** Answers the questions of one asker, who sees only what they may see. */
export type TrailReader = ReturnType<ReturnType<typeof openTrailQuestions>['ofInstallation']>;

const PAGE_LENGTH = 50;
const MAX_PAGE_LENGTH = 1_000;
const BATCH_LENGTH = 500;
/** So many entries that one condition finds are compared with the others for a page. */
const MOST_COMPARED = 2_000;
/** The action and the subject of the entry with which a user of the portal begins. */
const [ADDED, PERSON] = ['portal-user.add', 'portal-user '];
const MOST_PEOPLE = 20;
/** The highest count of an answer; the entries beyond it are not counted. */
const MOST_COUNTED = 10_000;

/** What a question comes down to: the conditions that an entry has to fulfil, and the numbers that it may have. */
interface Search {
	readonly conditions: readonly Condition[];
	readonly range: EntryRange;
}

/**
 * Opens questions about the trail. Whoever calls decides which of the two readers somebody gets; what the reader shows is
 * decided here, whatever a question asks for. So a page for the people of an account needs a right to show the trail at
 * all, and nothing else: `ofAccount(principal, viewer.actor).ask(question, page)`.
 */
export type TrailQuestions = ReturnType<typeof openTrailQuestions>;

export function openTrailQuestions(options: {
	readonly database: Pick<Database, 'knex' | 'dialect'>;
	readonly audit: Pick<Audit, 'record'>;
	/** Returns the pages of the vault to which a token may point; none if it is no token of this installation. */
	readonly pagesOf: (token: string) => Promise<readonly number[]>;
}) {
	const { database, audit, pagesOf } = options;
	const { knex, dialect } = database;
	const store = questionStore(knex, dialect);
	const trail = auditStore(knex);

	const placesAbout = async (object: TrailObject): Promise<Condition> => {
		const places = placesOf(object);
		return object.kind === 'token' ? [...places, ...placesOnPages(object.id, await pagesOf(object.id))] : places;
	};
	const kindsOf = async (kinds: readonly string[]): Promise<Condition> => {
		const areas = kinds.filter((kind) => !kind.includes('.')).map((area) => `${area}.`);
		const known = areas.length === 0 ? [] : await store.listActions();
		const inAreas = known.filter((action) => areas.some((area) => action.startsWith(area)));
		const found = [...kinds.filter((kind) => kind.includes('.')), ...inAreas];
		// Nothing fulfils the condition of areas without entries, but a condition it is.
		const values = found.length === 0 ? areas : new Set(found);
		return [...values].map((value) => ({ part: 'action', value }));
	};
	const searchOf = async (question: TrailQuestion, scope: readonly Condition[]): Promise<Search> => {
		const { about, by, kinds, since, until } = question;
		const [first, last] = await Promise.all([
			since === undefined ? 1 : trail.findFirstSince(since),
			until === undefined ? trail.findLastSeq() : trail.findFirstSince(until + 1).then((beyond) => beyond - 1),
		]);
		const asked = [about && (await placesAbout(about)), by && placesBy(by), kinds && (await kindsOf(kinds))];
		return {
			conditions: [...asked.filter((condition) => condition !== undefined), ...scope],
			range: { first, last },
		};
	};
	/**
	 * Chooses the condition by which entries are found: one that few entries fulfil. If all of them are fulfilled by many
	 * entries, the range ends where the chosen one has found as many as are compared.
	 */
	const narrowed = async ({ conditions, range }: Search, order: Order) => {
		const [only] = conditions;
		const isPlain = (condition: Condition) =>
			condition.every(({ subject, actions, numbers }) => subject === undefined && !actions && !numbers);
		if (!only) return { driver: undefined, others: [], range, isCut: false };
		if (conditions.length === 1 && isPlain(only)) return { driver: only, others: [], range, isCut: false };
		let best: { driver: Condition; range: EntryRange } | undefined;
		for (const driver of conditions) {
			const horizons = await Promise.all(
				driver.map((place) => store.findHorizon(place, { range, order }, MOST_COMPARED)),
			);
			const found = horizons.filter((horizon) => horizon !== undefined);
			const others = conditions.filter((condition) => condition !== driver);
			if (found.length === 0) return { driver, others, range, isCut: false };
			const cut = order === 'desc' ? { ...range, first: Math.max(...found) } : { ...range, last: Math.min(...found) };
			if (!best || cut.last - cut.first > best.range.last - best.range.first) best = { driver, range: cut };
		}
		const { driver, range: cut } = best!;
		return { driver, others: conditions.filter((condition) => condition !== driver), range: cut, isCut: true };
	};
	/** Reads entries of a search from one end on. `next` is the entry beyond which more may follow. */
	const readFrom = async (search: Search, order: Order, limit: number) => {
		const { isCut, driver, ...wanted } = await narrowed(search, order);
		const rows = await store.list(driver, { ...wanted, order, limit: limit + 1 });
		const isMore = rows.length > limit;
		const end = order === 'desc' ? wanted.range.first : wanted.range.last;
		const next = isMore ? rows[limit - 1].seq : isCut ? end : undefined;
		return { rows: rows.slice(0, limit), next };
	};
	const countOf = async (search: Search): Promise<Pick<TrailAnswer, 'count' | 'isAtLeast'>> => {
		const { first, last } = search.range;
		if (search.conditions.length === 0) return { count: Math.max(0, last - first + 1), isAtLeast: false };
		const { isCut, driver, ...wanted } = await narrowed(search, 'desc');
		const count = await store.count(driver!, { ...wanted, order: 'desc', limit: MOST_COUNTED + 1 });
		return { count: Math.min(count, MOST_COUNTED), isAtLeast: isCut || count > MOST_COUNTED };
	};

	const openReader = (scope: readonly Condition[], asker: Actor, viewerId?: AccountId) => {
		const shown = (rows: readonly AuditRow[]) => rows.map((row) => trailEntry(row, viewerId));
		const record = async (question: TrailQuestion, page?: TrailPage) => {
			requireNoCardNumber(question);
			await audit.record({
				actor: asker,
				action: 'audit.read',
				subject: 'audit',
				details: toldOf(question, page),
				...(viewerId !== undefined && { account: viewerId }),
			});
		};
		return {
			/**
			 * Answers a question with one page. The trail gets one entry `audit.read` for each call, before anything is read.
			 * @throws ServiceError if a name or id in the question holds a card number; it then reaches neither query nor trail
			 */
			async ask(question: TrailQuestion, page: TrailPage = {}): Promise<TrailAnswer> {
				await record(question, page);
				const { before, after } = page;
				const limit = Math.max(1, Math.min(page.limit ?? PAGE_LENGTH, MAX_PAGE_LENGTH));
				const search = await searchOf(question, scope);
				const { first, last } = search.range;
				const counting = countOf(search);
				// An error of the count is thrown where it is awaited, also if the reading fails first.
				counting.catch(() => {});
				if (after !== undefined && before === undefined) {
					const range = { first: Math.max(first, after + 1), last };
					const { rows, next } = await readFrom({ ...search, range }, 'asc', limit);
					const entries = shown(rows.reverse());
					return { entries, older: entries.at(-1)?.seq ?? after + 1, newer: next, ...(await counting) };
				}
				const range = { first, last: before === undefined ? last : Math.min(last, before - 1) };
				const { rows, next } = await readFrom({ ...search, range }, 'desc', limit);
				const entries = shown(rows);
				const newer = before === undefined ? undefined : (entries[0]?.seq ?? before - 1);
				return { entries, older: next, newer, ...(await counting) };
			},
			/**
			 * Yields all entries that fit, the latest first, for a file. The trail gets one entry for the whole of it.
			 * @throws as `ask`
			 */
			async *readAll(question: TrailQuestion): AsyncGenerator<TrailEntry> {
				await record(question);
				const search = await searchOf(question, scope);
				for (let last: number | undefined = search.range.last; last !== undefined; ) {
					const { rows, next } = await readFrom({ ...search, range: { ...search.range, last } }, 'desc', BATCH_LENGTH);
					yield* shown(rows);
					last = next === undefined ? undefined : next - 1;
				}
			},
			/** Finds users of the portal who have or had this name, by the entries about their beginning. */
			async findPeople(name: string): Promise<number[]> {
				if (holdsCardNumber(name)) return [];
				const named: Condition = [{ part: 'name', value: name, actions: [ADDED] }];
				const search = await searchOf({}, [named, ...scope]);
				const { rows } = await readFrom(search, 'desc', MOST_PEOPLE);
				return rows.map(({ subject }) => Number(subject.slice(PERSON.length)));
			},
			/** Tells whether an operator of this name has done something that the asker may see, or may have long ago. */
			async knowsOperator(name: string): Promise<boolean> {
				if (holdsCardNumber(name)) return false;
				const { rows, next } = await readFrom(await searchOf({ by: { kind: 'operator', name } }, scope), 'desc', 1);
				return rows.length > 0 || next !== undefined;
			},
		};
	};

	return {
		/** Returns the reader of an operator, who sees every entry. */
		ofInstallation: (asker: Actor) => openReader([], asker),
		/**
		 * Returns the reader of the people of an account. A primary account sees the entries about what it and its sub-users
		 * own, whoever acted, and about what these have done. A sub-user or property sees of these only what it has done itself
		 * and what was done to its own account. The address, key and name of operators and of other accounts are left out.
		 */
		ofAccount({ accountId, userId, ownerId }: TrailAccount, asker: Actor) {
			const ofOwner: Condition = [
				{ part: 'account', value: ownerId },
				{ part: 'otherAccount', value: ownerId },
			];
			const own = placesOf({ kind: 'account', userId });
			return openReader(accountId === ownerId ? [ofOwner] : [own, ofOwner], asker, ownerId);
		},
	};
}

/** Refuses a question with a card number in it, before the number reaches a statement that the database may log. */
function requireNoCardNumber({ about, by, kinds = [] }: TrailQuestion): void {
	const texts = [...Object.values(about ?? {}), ...Object.values(by ?? {}), ...kinds];
	if (!texts.some((text) => typeof text === 'string' && holdsCardNumber(text))) return;
	const moreInfo = 'the question holds a card number; ask by token instead';
	throw new ServiceError('bad-input-parameter', { moreInfo, told: told('like-a-card') });
}

function toldOf({ about, by, kinds, since, until }: TrailQuestion, page: TrailPage = {}): AuditDetails {
	const moment = (at: number | undefined) => at !== undefined && new Date(at).toISOString();
	const named = (object: TrailObject | undefined) => object && Object.values(object).join(' ');
	const { before, after } = page;
	const told = {
		about: named(about),
		by: named(by),
		kinds: kinds?.join(' '),
		since: moment(since),
		until: moment(until),
	};
	const given = Object.entries({ ...told, before, after }).filter(
		([, value]) => value !== undefined && value !== false,
	);
	return Object.fromEntries(given) as AuditDetails;
}
