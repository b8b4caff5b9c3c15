// The vault as the rest of the house sees it: cards in, tokens out, and what may be done with a token.

import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { associationStore, WHOLE_PAGE } from './association-store.ts';
import { CardReader, type Resolved } from './card-reader.ts';
import { CvvVault } from './cvv.ts';
import { GroupCommit, type OnStored } from './group-commit.ts';
import type { StoreRequest, StoreResult } from './new-card.ts';
import { openPage, sealPage } from './page-codec.ts';
import { type PageRow, pageStore } from './page-store.ts';
import { referenceStore } from './reference-store.ts';
import { hasSalt, TOKEN_BYTES, type Token, TokenCipher, writePointer } from './token.ts';
import { factsOf, type TokenMetadata } from './token-metadata.ts';

/** What came of a deletion (spec §7.4: existence is checked before ownership). */
export type Deletion = 'deleted' | 'absent' | 'not-owner';

export interface Vault {
	readonly cvvs: CvvVault;
	readonly tokens: TokenCipher;
	/** Stores a card; durable when it settles. */
	store(request: StoreRequest): Promise<StoreResult>;
	/** The record behind a token this account owns or is associated with; undefined otherwise. */
	find(accountId: AccountId, token: Token): Promise<Resolved | undefined>;
	/** A reader for many tokens of one account. */
	reader(accountId: AccountId): CardReader;
	findMetadata(accountId: AccountId, token: Token): Promise<TokenMetadata | undefined>;
	/** Tokens an account owns, oldest first, all of them or those under a reference (spec §4.1, Query Tokens). */
	list(
		accountId: AccountId,
		query: { readonly from: number; readonly num: number; readonly reference?: string },
	): Promise<TokenMetadata[]>;
	remove(accountId: AccountId, token: Token): Promise<Deletion>;
	/** Takes a record off its page by place, for retention; false when it is gone already. */
	removeAt(page: number, slot: number): Promise<boolean>;
	/** Lets a primary account use a token; only the owner may say so. */
	associate(accountId: AccountId, token: Token, merchantId: AccountId): Promise<boolean>;
	/** Takes that back; false when the token is not the caller's. */
	dissociate(accountId: AccountId, token: Token, merchantId: AccountId): Promise<boolean>;
}

/** Opens the vault over a migrated database. */
export async function openVault(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly clock?: Clock;
	readonly onStored?: OnStored;
}): Promise<Vault> {
	const { database, keyRing, clock = systemClock } = options;
	const { knex, dialect } = database;
	const tokens = new TokenCipher(await keyRing.all('token'));
	const commits = new GroupCommit({ database, keyRing, clock, onStored: options.onStored });
	const cvvs = new CvvVault({ database, keyRing, clock });
	const pages = pageStore(knex, dialect);

	const reader = (accountId: AccountId) => new CardReader({ database, keyRing, tokens, accountId });
	const find = async (accountId: AccountId, token: Token) =>
		(await reader(accountId).resolve(Buffer.from(token, 'hex')))[0];
	const open = async (page: PageRow) => {
		const key = await keyRing.byId(page.key_id);
		return openPage(key.secret, page.sealed, page.id, page.account_id, page.key_id);
	};
	const describe = async (found: readonly Pick<Resolved, 'page' | 'slot' | 'record'>[]): Promise<TokenMetadata[]> => {
		const references = await referenceStore(knex).listForPages([...new Set(found.map(({ page }) => page.id))]);
		const referenceOf = new Map(references.map((row) => [`${row.page_id}/${row.slot}`, row.reference]));
		return Promise.all(
			found.map(async ({ page, slot, record }) => ({
				token: tokenAt(tokens, page, slot),
				...factsOf(record),
				createdAt: new Date(page.created_at),
				accountId: page.account_id,
				creatorId: page.creator_id,
				reference: referenceOf.get(`${page.id}/${slot}`) ?? null,
				cvvEndsAt: (await cvvs.findPolicy({ page, slot }))?.endsAt ?? null,
				merchantIds: await associationStore(knex).listMerchants(page.id, slot),
			})),
		);
	};

	/** Takes one record off its page, again if somebody else changed the page in between. */
	const removeSlot = async (page: PageRow, slot: number): Promise<boolean> => {
		const content = await open(page);
		const slots = content.slots();
		if (!slots.includes(slot)) return false;
		const key = await keyRing.current('data', page.account_id);
		const isLast = slots.length === 1;
		const sealed = sealPage(key.secret, content.without(slot), page.id, page.account_id, key.id);
		content.wipe();
		const isDone = await transact(database, async (transaction) => {
			const store = pageStore(transaction, dialect);
			const isOurs = isLast
				? await store.removePage(page)
				: await store.replaceSealed(page, sealed, key.id, slots.length - 1);
			if (!isOurs) return false;
			if (isLast) await store.removeBesidePage(page.id);
			else await store.removeBeside(page.id, slot);
			return true;
		});
		if (isDone) return true;
		const [fresh] = await pages.findPages([page.id]);
		return fresh ? removeSlot(fresh, slot) : false;
	};

	return {
		cvvs,
		tokens,
		store: (request) => commits.store(request),
		find,
		reader,
		async findMetadata(accountId, token) {
			const found = await find(accountId, token);
			return found && (await describe([found]))[0];
		},
		async list(accountId, { from, num, reference }) {
			const places =
				reference === undefined
					? await findPlaces(database, open, accountId, from, num)
					: (await referenceStore(knex).find(accountId, reference, from, num)).map((row) => ({
							page: row.page_id,
							slot: row.slot,
						}));
			const rows = new Map(
				(await pages.findPages([...new Set(places.map((place) => place.page))])).map((row) => [row.id, row]),
			);
			const found: Pick<Resolved, 'page' | 'slot' | 'record'>[] = [];
			for (const { page: id, slot } of places) {
				const page = rows.get(id);
				const record = page && (await open(page)).find(slot);
				if (page && record) found.push({ page, slot, record });
			}
			return describe(found);
		},
		async remove(accountId, token) {
			const pointer = tokens.decodeOne(token);
			if (!pointer) return 'absent';
			const [page] = await pages.findPages([pointer.page]);
			if (!page || !hasSalt(pointer, page.salt) || !(await open(page)).find(pointer.slot)) return 'absent';
			if (page.account_id !== accountId) return 'not-owner';
			return (await removeSlot(page, pointer.slot)) ? 'deleted' : 'absent';
		},
		async removeAt(id, slot) {
			const [page] = await pages.findPages([id]);
			return page !== undefined && removeSlot(page, slot);
		},
		async associate(accountId, token, merchantId) {
			const found = await find(accountId, token);
			if (!found?.isOwner) return false;
			await associationStore(knex).associate(found.page.id, found.slot, merchantId, clock.now().getTime());
			return true;
		},
		async dissociate(accountId, token, merchantId) {
			const found = await find(accountId, token);
			if (!found?.isOwner) return false;
			const { page, slot } = found;
			const others = (await open(page)).slots().filter((each) => each !== slot);
			await transact(database, async (transaction) => {
				const store = associationStore(transaction);
				// A page associated as a whole is split up: every other record keeps the merchant.
				if (await store.isWholePage(page.id, merchantId)) {
					await store.dissociate(page.id, WHOLE_PAGE, merchantId);
					for (const each of others) await store.associate(page.id, each, merchantId, clock.now().getTime());
				}
				await store.dissociate(page.id, slot, merchantId);
			});
			return true;
		},
	};
}

function tokenAt(tokens: TokenCipher, page: PageRow, slot: number): Token {
	const pointer = Buffer.alloc(TOKEN_BYTES);
	writePointer(pointer, 0, page.id, slot, tokens.version, page.salt);
	return tokens.encrypt(pointer).toString('hex') as Token;
}

/** Pages and slots of the tokens `from` to `from + num` of an account, in the order they were stored. */
async function findPlaces(
	database: Database,
	open: (page: PageRow) => Promise<{ slots(): number[] }>,
	accountId: AccountId,
	from: number,
	num: number,
): Promise<{ page: number; slot: number }[]> {
	const store = pageStore(database.knex, database.dialect);
	const places: { page: number; slot: number }[] = [];
	let { page: after, skipped } = await store.findPageBefore(accountId, from);
	while (places.length < num) {
		const rows = await store.listPages(accountId, after, Math.min(256, Math.ceil((num - places.length) / 8) + 2));
		if (rows.length === 0) break;
		for (const row of rows) {
			for (const slot of (await open(row)).slots()) {
				if (skipped++ >= from && places.length < num) places.push({ page: row.id, slot });
			}
			after = row.id;
		}
	}
	return places;
}
