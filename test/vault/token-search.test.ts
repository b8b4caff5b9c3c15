import test from 'ava';
import fc from 'fast-check';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import { TOKEN_BYTES } from '../../src/vault/tokens/token.ts';
import type { SearchPlace, TokenSearch } from '../../src/vault/tokens/token-search.ts';
import type { SearchedTokens } from '../../src/vault/vault.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const SUB_USER = 3 as AccountId;
const OTHER = 2 as AccountId;
const MERCHANT = 4 as AccountId;
const UNFINISHED = '01testjob00000000000000001' as PassId;
const DAY_MS = 86_400_000;
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005'];

interface Stored {
	readonly token: string;
	readonly lastDigits: string;
	readonly creatorId: AccountId;
	readonly at: number;
}

/** Stores cards a day later than those of the call before, and returns them oldest first. */
async function add(
	{ database, keyRing, clock }: VaultParts,
	count: number,
	{ accountId = OWNER, creatorId, passId }: { accountId?: AccountId; creatorId?: AccountId; passId?: PassId } = {},
): Promise<Stored[]> {
	clock.turn(DAY_MS);
	const now = clock.now();
	const creator = creatorId ?? accountId;
	const pass = passId && { id: passId, begunAt: 0 };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, accountId, creatorId: creator, pass, now, clock, commit });
	await writer.reserve(count);
	const stored = Array.from({ length: count }, (_, n) => {
		const number = NUMBERS[n % NUMBERS.length];
		const { tokens, offset } = writer.place(fieldsOf({ number: new CardNumber(number), expiry: 203012, type: 0 }));
		const token = tokens.toString('hex', offset, offset + TOKEN_BYTES);
		return { token, lastDigits: number.slice(-4), creatorId: creator, at: now.getTime() };
	});
	await writer.flush();
	return stored;
}

/** Follows a search to its end, and returns what it found with the number of its pages. */
async function follow({ vault }: VaultParts, search: Omit<TokenSearch, 'after'>) {
	const found: string[] = [];
	let after: SearchPlace | undefined;
	for (let pages = 1; ; pages++) {
		const searched = await vault.search(OWNER, { ...search, after });
		if (searched.found.length > search.limit) throw new Error('more than asked for');
		found.push(...searched.found.map(({ token }) => token));
		if (!searched.next) return { found, pages, last: searched.previous };
		after = searched.next;
	}
}

/** Follows a search from a place to its beginning, and returns what it found, the newest first. */
async function followBack({ vault }: VaultParts, search: Omit<TokenSearch, 'before'>, from: SearchPlace | undefined) {
	const found: string[] = [];
	for (let before = from; before !== undefined; ) {
		const searched: SearchedTokens = await vault.search(OWNER, { ...search, before });
		if (JSON.stringify(searched.previous) === JSON.stringify(before)) throw new Error('it stays where it is');
		if (searched.found.length > search.limit) throw new Error('more than asked for');
		found.unshift(...searched.found.map(({ token }) => token));
		before = searched.previous;
	}
	return found;
}

/** Gives every third card a reference and every fourth a merchant, and returns those that have them. */
async function mark({ vault }: VaultParts, cards: readonly Stored[]) {
	const tokens = cards.map(({ token }) => token as never);
	const referred = tokens.filter((_, nth) => nth % 3 === 0);
	const shared = tokens.filter((_, nth) => nth % 4 === 0);
	for (const token of referred) await vault.attach(OWNER, token, { reference: 'trip' });
	for (const token of shared) await vault.associate(OWNER, token, MERCHANT);
	return { referred: new Set<string>(referred), shared: new Set<string>(shared) };
}

for (const dialect of databases) {
	test(`${dialect}: cards are found by last four digits, date and creator, newest first, page by page`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const all = [
			...(await add(parts, 70)),
			...(await add(parts, 3, { creatorId: SUB_USER })),
			...(await add(parts, 40)),
			...(await add(parts, 1)),
		];
		await add(parts, 5, { accountId: OTHER });
		await add(parts, 5, { passId: UNFINISHED });
		const asked = fc.record({
			lastDigits: fc.option(fc.constantFrom('1111', '4444', '0005', '9999'), { nil: undefined }),
			creatorId: fc.option(fc.constantFrom(OWNER, SUB_USER, OTHER), { nil: undefined }),
			since: fc.option(fc.constantFrom(...all.map(({ at }) => at)), { nil: undefined }),
			until: fc.option(fc.constantFrom(...all.map(({ at }) => at)), { nil: undefined }),
			limit: fc.constantFrom(1, 7, 25, 500),
		});
		await fc.assert(
			fc.asyncProperty(asked, async (search) => {
				const { lastDigits, creatorId, since = 0, until = Number.POSITIVE_INFINITY } = search;
				const expected = all.filter(
					(each) =>
						(lastDigits === undefined || each.lastDigits === lastDigits) &&
						(creatorId === undefined || each.creatorId === creatorId) &&
						each.at >= since &&
						each.at < until,
				);
				const { found } = await follow(parts, search);
				t.deepEqual(found, expected.map(({ token }) => token).reverse());
			}),
			{ numRuns: dialect === 'sqlite' ? 60 : 20 },
		);
	});

	test(`${dialect}: a search without time goes on where it stopped, and says how far it came`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const [first] = await add(parts, 2100);
		const [wanted] = await add(parts, 1);
		await parts.vault.remove(OWNER, wanted.token as never);
		const searched = await parts.vault.search(OWNER, { lastDigits: '9999', limit: 5, budgetMs: 0 });
		t.deepEqual(searched.found, []);
		t.is(searched.reached?.getTime(), first.at);
		t.truthy(searched.next);
		const { found, pages } = await follow(parts, { lastDigits: '9999', limit: 5, budgetMs: 0 });
		t.deepEqual(found, []);
		t.is(pages, 2, '66 pages in steps of 64');
		t.deepEqual(await follow(parts, { creatorId: OTHER, limit: 5 }), { found: [], pages: 1, last: undefined });
	});

	test(`${dialect}: cards with a reference or of a merchant are found forward and back, and counted, however many there are`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const all = [
			...(await add(parts, 70)),
			...(await add(parts, 3, { creatorId: SUB_USER })),
			...(await add(parts, 5)),
		];
		await add(parts, 5, { accountId: OTHER });
		await add(parts, 5, { passId: UNFINISHED });
		const { referred, shared } = await mark(parts, all);
		const asked = fc.record({
			lastDigits: fc.option(fc.constantFrom('1111', '9999'), { nil: undefined }),
			creatorId: fc.option(fc.constantFrom(OWNER, SUB_USER), { nil: undefined }),
			since: fc.option(fc.constantFrom(...all.map(({ at }) => at)), { nil: undefined }),
			reference: fc.option(fc.constantFrom('trip', 'other'), { nil: undefined }),
			merchantId: fc.option(fc.constantFrom(MERCHANT, OTHER), { nil: undefined }),
			limit: dialect === 'sqlite' ? fc.constantFrom(1, 7, 500) : fc.constantFrom(7, 500),
		});
		const check = (isCounted: (search: { reference?: string; merchantId?: AccountId }) => boolean) =>
			fc.assert(
				fc.asyncProperty(asked, async (search) => {
					const { lastDigits, creatorId, since = 0, reference, merchantId } = search;
					const expected = all
						.filter(
							(each) =>
								(lastDigits === undefined || each.lastDigits === lastDigits) &&
								(creatorId === undefined || each.creatorId === creatorId) &&
								(reference === undefined || (reference === 'trip' && referred.has(each.token))) &&
								(merchantId === undefined || (merchantId === MERCHANT && shared.has(each.token))) &&
								each.at >= since,
						)
						.map(({ token }) => token)
						.reverse();
					const { found, last, pages } = await follow(parts, search);
					t.deepEqual(found, expected);
					if (pages > 1) {
						const shown = expected.slice(0, Math.floor((expected.length - 1) / search.limit) * search.limit);
						t.deepEqual(await followBack(parts, search, last), shown);
					}
					const { count } = await parts.vault.search(OWNER, { ...search, countUpTo: 60 });
					if (lastDigits !== undefined || !isCounted(search)) t.is(count, undefined);
					else t.is(count, Math.min(60, expected.length));
				}),
				{ numRuns: dialect === 'sqlite' ? 80 : 12 },
			);
		await check(() => true);
		// From so many places on they are not listed at once. These lead to pages that are gone.
		const gone = { account_id: OWNER, reference: 'trip', slot: 0 };
		const places = Array.from({ length: 10_001 }, (_, nth) => ({ ...gone, page_id: 1_000_000 + nth }));
		await parts.database.knex.batchInsert('token_refs', places, 500);
		await check(({ reference, merchantId }) => reference !== 'trip' || merchantId !== undefined);
		const shares = places.map(({ page_id, slot }) => ({
			page_id,
			slot,
			merchant_id: MERCHANT,
			created_at: 0,
			epoch: 0,
		}));
		await parts.database.knex.batchInsert('associations', shares, 500);
		const hasFew = (reference?: string, merchantId?: AccountId) => reference === 'other' || merchantId === OTHER;
		await check(({ reference, merchantId }) => {
			const isAny = reference === undefined && merchantId === undefined;
			return isAny || hasFew(reference, merchantId);
		});
	});
}
