// The vault as the rest of the service uses it: it takes cards, returns tokens, and offers the operations on a token.

import type { Knex } from 'knex';
import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/clock.ts';
import { gathered } from '../base/database/gather.ts';
import type { AccountId } from '../base/database/ids.ts';
import type { Database } from '../base/database/open.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import type { RowSealer } from '../base/keys/rows/row-seals.ts';
import { Beside } from './beside.ts';
import type { Resolved } from './cards/card-reader.ts';
import { followKeys } from './cards/card-writer.ts';
import type { EliminationLimit } from './cards/elimination.ts';
import { GroupCommit, type OnStored } from './cards/group-commit.ts';
import { fieldsOf, type RecordRequest, type StoreRequest, type StoreResult } from './cards/new-card.ts';
import type { ChangedBy, OnChanged } from './change.ts';
import { cvvVault } from './cvvs/cvv.ts';
import { cvvStore } from './cvvs/cvv-store.ts';
import { removeRecord, withLockedPage } from './pages/locked-page.ts';
import type { PageContent } from './pages/page-codec.ts';
import { openPageRow, openUnlessDamaged } from './pages/page-row.ts';
import { type PageRow, pageStore } from './pages/page-store.ts';
import { PAGE_KINDS, type PageKind } from './pages/record-codec.ts';
import { associationStore, WHOLE_PAGE } from './tokens/association-store.ts';
import { allowedSlots, associationRow, dissociateWithin } from './tokens/associations.ts';
import { foreignTokenStore, hasToken } from './tokens/foreign-token-store.ts';
import { referenceStore } from './tokens/reference-store.ts';
import { leadsTo, type Token, type TokenCipher } from './tokens/token.ts';
import { type Found, type TokenQuery, walkTokens } from './tokens/token-list.ts';
import { factsOf, type TokenMetadata } from './tokens/token-metadata.ts';
import { type Searched, searchTokens, type TokenSearch } from './tokens/token-search.ts';

/**
 * The result of a deletion. A token that does not exist is `absent`. Only if it exists does its owner matter, and only
 * for its owner the kind of its record (spec §7.4).
 */
export type Deletion = 'deleted' | 'absent' | 'not-owner' | 'other-kind';

export interface SearchedTokens extends Omit<Searched, 'found' | 'reached'> {
	readonly found: readonly TokenMetadata[];
	/** The creation time of the last cards that were searched; undefined if none were searched so far. */
	readonly reached: Date | undefined;
}

type Located = Pick<Resolved, 'page' | 'slot' | 'trailPage'>;

export type Vault = Awaited<ReturnType<typeof openVault>>;

/** Opens the vault. All migrations of the database must have run before. */
export async function openVault(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly clock?: Clock;
	/** The daily limit on look-ups of duplicates, with the function that is called when the limit is exceeded. */
	readonly elimination?: EliminationLimit;
	readonly onStored?: OnStored;
	readonly onChanged?: OnChanged;
}) {
	const { database, keyRing, clock = systemClock, onChanged } = options;
	const { knex, dialect } = database;
	const followed = followKeys({ database, keyRing, clock });
	const { tokens } = followed;
	const { elimination, onStored } = options;
	const commits = new GroupCommit({ database, keyRing, clock, followed, onStored, elimination });
	const cvvs = cvvVault({ database, keyRing, clock, onChanged });
	const pages = pageStore(knex, dialect);

	const open = (page: PageRow) => openPageRow(keyRing, page);
	const openListed = (page: PageRow) => openUnlessDamaged(keyRing, page);
	// If several single tokens are looked up at the same time, one query serves them all.
	const findPage = gathered(
		async (ids: readonly number[]) => new Map((await pages.findPages(ids)).map((page) => [page.id, page])),
	);
	const findBeside = gathered(async (ids: readonly number[]) => {
		const beside = await Beside.load(database, ids);
		return new Map(ids.map((id) => [id, beside]));
	});
	const findForeign = gathered(async (wanted: readonly Token[]) => {
		const rows = await foreignTokenStore(knex, dialect).find(wanted.map((token) => Buffer.from(token, 'hex')));
		return new Map(rows.map((row) => [row.token.toString('hex') as Token, row]));
	});
	const locateForeign = async (token: Token): Promise<Located | undefined> => {
		const place = await findForeign(token);
		const page = place && (await findPage(place.page_id));
		if (!page) return undefined;
		const content = await open(page);
		const isThere = hasToken(content.find(place.slot), place.token);
		content.wipe();
		return isThere ? { page, slot: place.slot } : undefined;
	};
	const locate = async (token: Token): Promise<Located | undefined> => {
		const cipher = await tokens.current();
		for (let pointer = cipher.decodeOne(token); pointer; pointer = pointer.or) {
			const page = await findPage(pointer.page);
			if (page && leadsTo(pointer, page)) return { page, slot: pointer.slot, trailPage: page.id };
		}
		return cipher.hasForeign ? locateForeign(token) : undefined;
	};
	const find = async (
		accountId: AccountId,
		token: Token,
	): Promise<(Resolved & { readonly content: PageContent }) | undefined> => {
		const located = await locate(token);
		if (!located) return undefined;
		const { page, slot, trailPage } = located;
		const isOwner = page.account_id === accountId;
		const rows = isOwner ? [] : await associationStore(knex).findForMerchant(accountId, [page.id]);
		if (!isOwner && rows.length === 0) return undefined;
		const content = await open(page);
		const allowed = isOwner ? undefined : await allowedSlots({ keyRing }, content, rows);
		const isAllowed = allowed === undefined || allowed.has(slot) || allowed.has(WHOLE_PAGE);
		const record = isAllowed ? content.find(slot) : undefined;
		if (record) return { page, slot, record, isOwner, trailPage, content };
		content.wipe();
		return undefined;
	};
	const describe = (cipher: TokenCipher, beside: Beside, found: Found, sealer: RowSealer): TokenMetadata => {
		const { page, slot, record, memory } = found;
		const place = { page: page.id, slot, memory };
		const { reference, cvvEnd, merchantIds } = beside.of(sealer, place, clock.now().getTime());
		return {
			token: cipher.tokenAt(page, slot, record),
			...factsOf(record),
			createdAt: new Date(page.created_at),
			accountId: page.account_id,
			creatorId: page.creator_id,
			reference,
			cvvEndsAt: cvvEnd === null ? null : new Date(cvvEnd),
			merchantIds,
		};
	};
	const findMetadata = async (accountId: AccountId, token: Token): Promise<TokenMetadata | undefined> => {
		const found = await find(accountId, token);
		if (!found) return undefined;
		const [cipher, beside] = [await tokens.current(), (await findBeside(found.page.id))!];
		const described = { ...found, memory: found.content.memory() };
		return keyRing.seals.withSealer((sealer) => describe(cipher, beside, described, sealer));
	};
	const describeAll = async (found: readonly Found[]): Promise<TokenMetadata[]> => {
		const beside = await Beside.load(database, [...new Set(found.map(({ page }) => page.id))]);
		const cipher = await tokens.current();
		return keyRing.seals.withSealer((sealer) => found.map((each) => describe(cipher, beside, each, sealer)));
	};
	const walk = async function* (accountId: AccountId, query: TokenQuery, onLeftOut?: (tokens: number) => void) {
		const { merchantId } = query;
		for await (const found of walkTokens({ database, open: openListed, onLeftOut }, accountId, query)) {
			yield keepUsable(await describeAll(found), merchantId);
		}
	};

	const removeSlot = (page: PageRow, removal: Parameters<typeof removeRecord>[2]) =>
		removeRecord({ database, keyRing, tokens, onChanged }, page, removal);
	const removeOn = async (id: number, removal: Parameters<typeof removeRecord>[2]): Promise<boolean> => {
		const [page] = await pages.findPages([id]);
		return page !== undefined && removeSlot(page, removal);
	};

	/** Stores rows beside a record while its page is locked; returns false if the record was deleted meanwhile. */
	const addBeside = async (
		{ page, slot }: Resolved,
		{ reference, merchantId }: Pick<StoreRequest, 'reference' | 'merchantId'>,
		alongside?: (transaction: Knex.Transaction) => Promise<void>,
	): Promise<boolean> =>
		withLockedPage({ database, keyRing }, page.id, async (locked, transaction, sealer) => {
			// The page may live on with other records although this one was deleted.
			if (!locked?.content.find(slot)) return false;
			if (reference !== undefined) await referenceStore(transaction).add(page.account_id, reference, page.id, slot);
			if (merchantId !== undefined) {
				const row = associationRow(sealer, page.id, slot, merchantId, locked.memory.epoch);
				await associationStore(transaction).associate(row, clock.now().getTime());
			}
			await alongside?.(transaction);
			return true;
		});

	const attach = async (
		accountId: AccountId,
		token: Token,
		beside: Pick<StoreRequest, 'reference' | 'merchantId' | 'cvv'>,
	) => {
		const { reference, merchantId, cvv } = beside;
		if (reference === undefined && merchantId === undefined && !cvv) return;
		const found = await find(accountId, token);
		if (!found?.isOwner) return;
		if (reference !== undefined || merchantId !== undefined) await addBeside(found, { reference, merchantId });
		if (cvv) await cvvs.keepByDefault(found, cvv);
	};
	const storeRecord = async (request: RecordRequest): Promise<StoreResult> => {
		const result = await commits.store(request);
		if (!result.isNew) await attach(request.accountId, result.token, request);
		return result;
	};

	return {
		cvvs,
		/**
		 * Returns the page and slot to which a token points, and the account that owns the page. Neither whether the caller may
		 * use the token nor whether its record still exists is checked.
		 */
		async locate(
			token: Token,
		): Promise<{ readonly page: number; readonly slot: number; readonly accountId: AccountId } | undefined> {
			const found = await locate(token);
			return found && { page: found.page.id, slot: found.slot, accountId: found.page.account_id };
		},
		/**
		 * Stores a card, which is durable when the promise resolves. If duplicate elimination finds an earlier token of the
		 * card, that token is returned, and it gets the reference, association and CVV of the request after `alongside` was
		 * committed.
		 */
		store: ({ card, ...request }: StoreRequest) => storeRecord({ ...request, fields: fieldsOf(card) }),
		/** Like `store`, but for a record of any kind. The digits and spelling in the request are wiped. */
		storeRecord,
		/**
		 * Returns the record to which a token leads, if this account owns the token or is associated with it; otherwise
		 * undefined.
		 */
		find,
		findMetadata,
		/** Returns tokens that an account owns, oldest first (Query Tokens, spec §4.1). */
		list: async (accountId: AccountId, query: TokenQuery): Promise<TokenMetadata[]> =>
			(await Array.fromAsync(walk(accountId, query))).flat(),
		/**
		 * Like `list`, but yields the tokens in batches, so that there may be any number of them. `onLeftOut` is called with
		 * the number of tokens that are left out because their page does not open.
		 */
		walk,
		/** Lists tokens of an account whose references begin with a text, in the order of the references. */
		async listByReference(accountId: AccountId, text: string, limit: number): Promise<TokenMetadata[]> {
			const rows = await referenceStore(knex).listBeginningWith(dialect, { accountId, text, limit });
			const opened = new Map<number, { readonly page: PageRow; readonly content: PageContent }>();
			for (const page of await pages.findPages([...new Set(rows.map(({ page_id }) => page_id))])) {
				// Rows of references have no seal, so they are not trusted to lead to pages of the account only.
				const content = page.account_id === accountId ? await openListed(page) : undefined;
				if (content) opened.set(page.id, { page, content });
			}
			const found = rows.flatMap(({ page_id, slot }): Found[] => {
				const { page, content } = opened.get(page_id) ?? {};
				const record = content?.find(slot);
				return page && content && record ? [{ page, slot, record, memory: content.memory() }] : [];
			});
			const described = await describeAll(found);
			for (const { content } of opened.values()) content.wipe();
			return described;
		},
		/** Searches the cards of an account in the order of their time, and returns the places it has reached within its time limit. */
		search: (accountId: AccountId, search: TokenSearch) =>
			searchTokens({ database, open: openListed }, accountId, search, async ({ found, reached, ...searched }) => ({
				...searched,
				found: keepUsable(await describeAll(found), search.merchantId),
				reached: reached === undefined ? undefined : new Date(reached),
			})),
		/**
		 * Deletes a record if its page is of the given kind. Without `kind`, it deletes cards and network tokens, not data
		 * blocks.
		 */
		async remove(
			accountId: AccountId,
			token: Token,
			by?: ChangedBy,
			kind: PageKind = PAGE_KINDS.cards,
		): Promise<Deletion> {
			const located = await locate(token);
			if (!located) return 'absent';
			const { page, slot } = located;
			const content = await open(page);
			const isThere = content.slots().includes(slot);
			content.wipe();
			if (!isThere) return 'absent';
			if (page.account_id !== accountId) return 'not-owner';
			if (page.kind !== kind) return 'other-kind';
			return (await removeSlot(page, { slot, by })) ? 'deleted' : 'absent';
		},
		/** Deletes the record in a slot of a page; returns false if it is already gone. */
		removeAt: (id: number, slot: number, by?: ChangedBy) => removeOn(id, { slot, by }),
		/**
		 * Deletes the card in a slot of a page, for retention, if its CVV is destroyed and was to take the card with it.
		 * Returns false if the card is already gone, or if a CVV was stored for it since, under a policy of its own.
		 */
		removeWithCvv: (id: number, slot: number, by?: ChangedBy) =>
			removeOn(id, { slot, by, isToGo: (transaction) => cvvStore(transaction, dialect).isEmptied(id, slot) }),
		/**
		 * Associates a token with another primary account, so that this account may use it. Returns false if the caller does
		 * not own the token, or if its record is gone.
		 */
		async associate(accountId: AccountId, token: Token, merchantId: AccountId, by?: ChangedBy): Promise<boolean> {
			const found = await find(accountId, token);
			if (!found?.isOwner) return false;
			return addBeside(found, { merchantId }, async (transaction) => {
				if (by) await onChanged?.({ ...by, token, accountId }, transaction);
			});
		},
		/**
		 * Adds a reference, association or CVV to an existing token of the account. `store` calls this itself. If the record
		 * is deleted meanwhile, nothing is added.
		 */
		attach,
		/**
		 * Revokes the association of a token with one merchant, or with all of them. Returns false if the caller does not own
		 * the token.
		 */
		async dissociate(
			accountId: AccountId,
			token: Token,
			merchantId: AccountId | 'all',
			by?: ChangedBy,
		): Promise<boolean> {
			const found = await find(accountId, token);
			if (!found?.isOwner) return false;
			const { page, slot } = found;
			await withLockedPage({ database, keyRing }, page.id, async (locked, transaction, sealer) => {
				const now = clock.now().getTime();
				if (locked) await dissociateWithin(locked, { slot, merchantId, now }, { transaction, sealer });
				if (by) await onChanged?.({ ...by, token, accountId }, transaction);
			});
			return true;
		},
	};
}

/**
 * Leaves out tokens that a merchant may not use, if only those of one are wanted: the row that associates it may not match its
 * seal.
 */
function keepUsable(tokens: TokenMetadata[], merchantId: AccountId | undefined): TokenMetadata[] {
	return merchantId === undefined ? tokens : tokens.filter(({ merchantIds }) => merchantIds.includes(merchantId));
}
