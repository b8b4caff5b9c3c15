// Somebody has altered rows or pages of cards in the database. A list of cards then shows the same as a look-up of each
// single card, and whoever needs a card on a damaged page gets an error that names the page.

import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { CardReader } from '../../src/vault/cards/card-reader.ts';
import { DamagedPageError } from '../../src/vault/pages/page-row.ts';
import { LiveTokens } from '../../src/vault/tokens/live-tokens.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import type { TokenMetadata } from '../../src/vault/tokens/token-metadata.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const MERCHANT = 2 as AccountId;
const THIEF = 9 as AccountId;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

/** Stores cards with a CVV, a reference and a merchant, `count` together on each of some pages, in order. */
async function storeCards({ vault, clock }: VaultParts, counts: readonly number[]): Promise<Token[][]> {
	const pages: Token[][] = [];
	for (const count of counts) {
		const order = { accountId: OWNER, creatorId: OWNER, card: visa, reference: 'trip', merchantId: MERCHANT };
		const store = () => vault.store({ ...order, cvv: new Cvv('123') });
		for (;;) {
			const tokens = (await Promise.all(Array.from({ length: count }, store))).map(({ token }) => token);
			const places = await Promise.all(tokens.map((token) => vault.locate(token)));
			// On a busy machine the cards may come into two commits, and then they are on two pages.
			if (new Set(places.map((place) => place?.page)).size === 1) {
				pages.push(tokens);
				break;
			}
			for (const token of tokens) await vault.remove(OWNER, token);
		}
		clock.turn(1000);
	}
	return pages;
}

const shownBy = (all: readonly TokenMetadata[]) =>
	all.map(({ token, merchantIds, cvvEndsAt }) => [token, merchantIds, cvvEndsAt !== null]);

function listenTo({ keyRing }: VaultParts): BrokenRow[] {
	const broken: BrokenRow[] = [];
	keyRing.seals.onBroken((row) => broken.push(row));
	return broken;
}

function onBoth(title: string, story: (t: ExecutionContext, parts: VaultParts) => Promise<void>): void {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => story(t, await openVaultParts(t, dialect)));
	}
}

onBoth('a merchant or CVV whose row was altered is shown neither in a list nor with its card', async (t, parts) => {
	const { vault, database } = parts;
	const [[first, second, third]] = await storeCards(parts, [3]);
	const whole = [first, second, third].map((token) => [token, [MERCHANT], true]);
	const broken = listenTo(parts);
	t.deepEqual(shownBy(await vault.list(OWNER, { from: 0, num: 9 })), whole);
	t.deepEqual(broken, []);

	const [place, placeOfSecond, placeOfThird] = await Promise.all(
		[first, second, third].map(async (token) => {
			const { page, slot } = (await vault.locate(token))!;
			return { page_id: page, slot };
		}),
	);
	const [association] = await database.knex('associations').where(place);
	await database.knex('associations').insert({ ...association, merchant_id: THIEF });
	await database.knex('cvvs').where(place).update({ uses_left: 99 });
	await database.knex('associations').where(placeOfSecond).update({ seal: null });
	await database.knex('cvv_destinations').insert({ ...placeOfThird, type: 'Owner', data: '', quota: 9, used: 0 });
	const altered = [
		[first, [MERCHANT], false],
		[second, [], true],
		[third, [MERCHANT], false],
	];
	const listed = await vault.list(OWNER, { from: 0, num: 9 });
	t.deepEqual(shownBy(listed), altered);
	t.deepEqual(shownBy((await vault.search(OWNER, { limit: 9 })).found).sort(), altered.toSorted());
	for (const [nth, card] of listed.entries()) {
		t.deepEqual(await vault.findMetadata(OWNER, card.token), card, `card ${nth}`);
	}
	t.deepEqual([...new Set(broken.map(({ table, why }) => `${table} ${why}`))].sort(), [
		'associations altered',
		'cvvs altered',
	]);
	t.is(await vault.find(THIEF, first), undefined, 'as the row grants nothing');
	t.deepEqual(await vault.list(OWNER, { from: 0, num: 9, merchantId: THIEF }), []);
	t.deepEqual(shownBy(await vault.list(OWNER, { from: 0, num: 9, merchantId: MERCHANT })), [altered[0], altered[2]]);
});

onBoth(
	'a page that does not open is left out of lists and told, and the rest of a list does not shift',
	async (t, parts) => {
		const { vault, database } = parts;
		const pages = await storeCards(parts, [2, 3, 2]);
		const { page } = (await vault.locate(pages[1][0]))!;
		await database
			.knex('pages')
			.where({ id: page })
			.update({ sealed: Buffer.alloc(64) });
		const broken = listenTo(parts);
		await t.throwsAsync(vault.findMetadata(OWNER, pages[1][0]), {
			message: new RegExp(`^page ${page} of the vault is damaged`),
		});
		const told = { table: 'pages', id: String(page), why: 'altered' } as const;
		t.deepEqual(broken.splice(0), [told]);

		const rest = [...pages[0], ...pages[2]];
		const all = [...pages[0], ...pages[1].map(() => undefined), ...pages[2]];
		for (const by of [{}, { reference: 'trip' }, { merchantId: MERCHANT }]) {
			for (let from = 0; from <= all.length; from++) {
				for (const num of [1, 3, 9]) {
					const listed = await vault.list(OWNER, { from, num, ...by });
					const expected = all.slice(from, from + num).filter((token) => token !== undefined);
					t.deepEqual(
						listed.map(({ token }) => token),
						expected,
						`${JSON.stringify(by)} ${num} from ${from}`,
					);
				}
			}
		}
		t.deepEqual(broken.splice(0)[0], told);
		const { found, next } = await vault.search(OWNER, { limit: 3 });
		const older = await vault.search(OWNER, { limit: 9, after: next });
		t.deepEqual([...found, ...older.found].map(({ token }) => token).sort(), rest.sort());
		t.deepEqual(broken[0], told);
	},
);

onBoth(
	'a token on a page that does not open ends the pass of a file with an error that names the page',
	async (t, parts) => {
		const { vault, database, keyRing, clock } = parts;
		const [[token], [other]] = await storeCards(parts, [1, 1]);
		const { page } = (await vault.locate(token))!;
		await database
			.knex('pages')
			.where({ id: page })
			.update({ sealed: Buffer.alloc(64) });
		const broken = listenTo(parts);
		const reader = new CardReader({
			database,
			keyRing,
			tokens: new LiveTokens({ database, keyRing, clock }),
			accountId: OWNER,
		});
		t.teardown(() => reader.wipe());
		const error = await t.throwsAsync(reader.resolve(Buffer.from(token + other, 'hex')), {
			instanceOf: DamagedPageError,
		});
		t.regex(error.message, new RegExp(`^page ${page} of the vault is damaged`));
		t.deepEqual(broken, [{ table: 'pages', id: String(page), why: 'altered' }]);
		const [resolved] = await reader.resolve(Buffer.from(other, 'hex'));
		t.is(resolved?.record.digits.toString(), '4111111111111111');
	},
);

onBoth('a search by reference leaves out what stands on a page that does not open', async (t, parts) => {
	const { vault, database } = parts;
	const [[lost], [kept]] = await storeCards(parts, [1, 1]);
	const { page } = (await vault.locate(lost))!;
	await database
		.knex('pages')
		.where({ id: page })
		.update({ sealed: Buffer.alloc(64) });
	const broken = listenTo(parts);
	t.deepEqual(
		(await vault.listByReference(OWNER, 'tr', 10)).map(({ token }) => token),
		[kept],
	);
	t.is(broken.length, 1);
	t.deepEqual(await vault.listByReference(THIEF, 'tr', 10), []);
});
