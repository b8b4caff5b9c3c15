// Records under tokens that another installation made, as `vault import` stores them, at every place that reads tokens.

import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { simplecsv } from '../../formats/simplecsv.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { discardPages } from '../../src/engine/engine.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { CardReader } from '../../src/vault/cards/card-reader.ts';
import { openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fingerprintsOf } from '../../src/vault/cards/fingerprint.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import { LiveTokens } from '../../src/vault/tokens/live-tokens.ts';
import { looksLikeNumber, type Token } from '../../src/vault/tokens/token.ts';
import { openVault } from '../../src/vault/vault.ts';
import { coreDatabases } from '../helpers/database.ts';
import { openVaultParts, swap, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const MERCHANT = 2 as AccountId;
const THIEF = 9 as AccountId;
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005'] as const;
const card = (number: string) => ({ number: new CardNumber(number), expiry: 203012, type: 0 }) as const;

function newToken(): Token {
	for (;;) {
		const token = randomBytes(16);
		if (!looksLikeNumber(token, 0)) return token.toString('hex') as Token;
	}
}

/** Stores a card of each number under a new foreign token; the first one is shared with a merchant and has a reference. */
async function storeForeign(
	{ database, keyRing, clock }: VaultParts,
	{ pass = '01foreign' as PassId, isSettled = true } = {},
): Promise<Token[]> {
	const owner = { accountId: OWNER, creatorId: OWNER, pass: { id: pass, begunAt: clock.now().getTime() } };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, clock, ...owner, now: clock.now(), commit });
	await writer.reserve(NUMBERS.length);
	const tokens = NUMBERS.map((number, nth) => {
		const token = newToken();
		const fields = { ...fieldsOf(card(number)), token: Buffer.from(token, 'hex') };
		const place = writer.place(fields);
		writer.addFingerprint(place, fingerprintsOf(writer.fingerprintKeys, fields));
		if (nth === 0) writer.addReference(place, 'trip');
		if (nth === 0) writer.addAssociation(place, MERCHANT);
		return token;
	});
	await (isSettled ? writer.settle() : writer.flush());
	writer.wipe();
	return tokens;
}

async function numberOf({ vault }: Pick<VaultParts, 'vault'>, token: Token, accountId = OWNER) {
	const found = await vault.find(accountId, token);
	return found?.record.digits.toString('latin1');
}

/** A process looks for its first foreign token only every few seconds. */
const NOTICED_MS = 6_000;

function onBoth(title: string, story: (t: ExecutionContext, parts: VaultParts) => Promise<void>): void {
	for (const dialect of coreDatabases) {
		test(`${dialect}: ${title}`, async (t) => story(t, await openVaultParts(t, dialect)));
	}
}

onBoth('a foreign token leads to its card for its owner and a merchant, and for nobody else', async (t, parts) => {
	const { vault, clock, database, keyRing } = parts;
	const own = await vault.store({ accountId: OWNER, creatorId: OWNER, card: card(NUMBERS[0]) });
	t.is(await numberOf(parts, own.token), NUMBERS[0], 'the process has looked for foreign tokens once');
	const tokens = await storeForeign(parts);
	t.is(await numberOf(parts, tokens[0]), undefined);
	clock.turn(NOTICED_MS);
	for (const [nth, token] of tokens.entries()) t.is(await numberOf(parts, token), NUMBERS[nth]);
	t.is(await numberOf(parts, own.token), NUMBERS[0]);
	// The audit trail finds entries about a token by the page to which it points by itself, and a foreign one points nowhere.
	t.is((await vault.find(OWNER, tokens[0]))?.trailPage, undefined);
	const found = await vault.find(OWNER, own.token);
	t.is(found?.trailPage, found?.page.id);
	t.is(await numberOf(parts, tokens[0], MERCHANT), NUMBERS[0]);
	t.is(await numberOf(parts, tokens[1], MERCHANT), undefined);
	t.is(await numberOf(parts, tokens[0], THIEF), undefined);
	t.is(await numberOf(parts, newToken()), undefined);
	const resolve = async (accountId: AccountId, asked: readonly Token[]) => {
		const reader = new CardReader({
			database,
			keyRing,
			tokens: new LiveTokens({ database, keyRing, clock }),
			accountId,
		});
		const resolved = await reader.resolve(Buffer.from(asked.join(''), 'hex'));
		const numbers = resolved.map((each) => each?.record.digits.toString('latin1'));
		reader.wipe();
		return numbers;
	};
	const mixed = [tokens[1], own.token, newToken(), tokens[0], tokens[2]];
	t.deepEqual(await resolve(OWNER, mixed), [NUMBERS[1], NUMBERS[0], undefined, NUMBERS[0], NUMBERS[2]]);
	t.deepEqual(await resolve(MERCHANT, mixed), [undefined, undefined, undefined, NUMBERS[0], undefined]);
});

onBoth('every list shows a foreign token, and so does a search and duplicate elimination', async (t, parts) => {
	const { vault, clock } = parts;
	const tokens = await storeForeign(parts);
	clock.turn(NOTICED_MS);
	const all = (metadata: readonly { readonly token: Token }[]) => metadata.map(({ token }) => token);
	t.deepEqual(all(await vault.list(OWNER, { from: 0, num: 10 })), tokens);
	t.deepEqual(all(await vault.list(OWNER, { from: 0, num: 10, reference: 'trip' })), [tokens[0]]);
	t.deepEqual(all(await vault.list(OWNER, { from: 0, num: 10, merchantId: MERCHANT })), [tokens[0]]);
	t.deepEqual(all(await vault.listByReference(OWNER, 'tr', 10)), [tokens[0]]);
	t.deepEqual(all((await vault.search(OWNER, { lastDigits: '4444', limit: 5 })).found), [tokens[1]]);
	t.like(await vault.findMetadata(OWNER, tokens[0]), { token: tokens[0], reference: 'trip', merchantIds: [MERCHANT] });
	const again = await vault.store({
		...{ accountId: OWNER, creatorId: OWNER, card: card(NUMBERS[2]), eliminatesDuplicates: true },
		...{ reference: 'later', cvv: new Cvv('1234') },
	});
	t.deepEqual(again, { token: tokens[2], isNew: false });
	t.like(await vault.findMetadata(OWNER, tokens[2]), { reference: 'later' });
});

onBoth('a foreign token is deleted with all that leads to it, and stays gone', async (t, parts) => {
	const { vault, clock, database } = parts;
	const told: Token[] = [];
	const telling = await openVault({ ...parts, onChanged: async ({ token }) => void told.push(token!) });
	const tokens = await storeForeign(parts);
	clock.turn(NOTICED_MS);
	const by = { actor: 'test', action: 'card.delete' } as const;
	t.is(await telling.remove(THIEF, tokens[1]), 'not-owner');
	t.is(await telling.remove(OWNER, tokens[1], by), 'deleted');
	t.deepEqual(told, [tokens[1]]);
	t.is(await vault.remove(OWNER, tokens[1]), 'absent');
	t.is(await numberOf(parts, tokens[1]), undefined);
	t.is((await database.knex('foreign_tokens')).length, 2);
	for (const token of [tokens[0], tokens[2]]) t.is(await vault.remove(OWNER, token), 'deleted');
	for (const table of ['foreign_tokens', 'pages', 'token_refs', 'associations', 'fingerprints']) {
		t.deepEqual(await database.knex(table), [], table);
	}
});

onBoth('a row of a foreign token that was changed leads nowhere', async (t, parts) => {
	const { clock, database } = parts;
	const [first, second, third] = await storeForeign(parts);
	clock.turn(NOTICED_MS);
	const at = (token: Token) => database.knex('foreign_tokens').where({ token: Buffer.from(token, 'hex') });
	const { page_id, slot } = await at(second).first();
	await at(first).update({ page_id, slot });
	t.is(await numberOf(parts, first), undefined, 'the record there has another token');
	t.is(await parts.vault.locate(first), undefined);
	const forged = newToken();
	await database.knex('foreign_tokens').insert({ token: Buffer.from(forged, 'hex'), page_id, slot });
	t.is(await numberOf(parts, forged), undefined);
	await at(third).update({ page_id: page_id + 1000 });
	t.is(await numberOf(parts, third), undefined);
	t.is(await numberOf(parts, second), NUMBERS[1]);
});

onBoth('the pages of an import that was killed take their tokens with them', async (t, parts) => {
	const { clock, database } = parts;
	const killed = await storeForeign(parts, { pass: '01killed' as PassId, isSettled: false });
	const kept = await storeForeign(parts, { pass: '01kept' as PassId });
	clock.turn(NOTICED_MS);
	await discardPages(database, '01killed' as PassId);
	t.is((await database.knex('foreign_tokens')).length, kept.length);
	for (const token of killed) t.is(await numberOf(parts, token), undefined);
	for (const [nth, token] of kept.entries()) t.is(await numberOf(parts, token), NUMBERS[nth]);
});

onBoth('a file with foreign tokens gets its numbers back, in card fields and beside them', async (t, parts) => {
	const { clock } = parts;
	const engine = parts.engine([simplecsv as never]);
	const [first, second] = await storeForeign(parts);
	clock.turn(NOTICED_MS);
	const stranger = newToken();
	const table = `CardNumber,Reference\n${first},one\n${second},two\n${stranger},three\n`;
	const request = { filter: 'SIMPLECSV', direction: 'detokenize' } as const;
	const back = await swap(parts, engine, { ...request, bytes: Buffer.from(table), chunkSizes: [7, 40] });
	t.is(back.bytes.toString(), table.replace(first, NUMBERS[0]).replace(second, NUMBERS[1]));
	t.like(back.summary, { cards: 2, unresolved: 1 });
	const tokenize = { filter: 'SIMPLECSV', direction: 'tokenize' } as const;
	const swapped = await swap(parts, engine, { ...tokenize, bytes: Buffer.from(table) });
	t.is(swapped.bytes.toString(), table);
	t.is(swapped.summary.preexistingTokens, 3);
});

test('outside of card fields a foreign token is found where it stands alone, and no number hides behind one', async (t) => {
	const parts = await openVaultParts(t);
	const { database, keyRing, clock } = parts;
	const engine = parts.engine([simplecsv as never]);
	const pass = { id: '01other' as PassId, begunAt: 0 };
	const whose = { accountId: OWNER, creatorId: OWNER, pass };
	const writer = await openCardWriter({
		...{ database, keyRing, clock, ...whose, now: clock.now() },
		commit: new BulkCommit(database),
	});
	await writer.reserve(1);
	const token = newToken();
	writer.place({ ...fieldsOf(card(NUMBERS[0])), shape: 'other', token: Buffer.from(token, 'hex') });
	await writer.settle();
	clock.turn(NOTICED_MS);
	const text = (it: string, beside = '') => `CardNumber,Remark\n,paid with ${it}${beside}.\n`;
	const request = { filter: 'SIMPLECSV', direction: 'detokenize' } as const;
	const back = async (bytes: string) =>
		(await swap(parts, engine, { ...request, bytes: Buffer.from(bytes) })).bytes.toString();
	t.is(await back(text(token)), text(NUMBERS[0]));
	t.is(await back(text(token, 'f')), text(token, 'f'));
	// Sixteen digits of a run of 32 are a number and no part of a token.
	const hidden = text(`${NUMBERS[0]}abcdefabcdefabcd`);
	const options = { otherNumbers: 'tokenize' };
	const tokenized = await swap(parts, engine, {
		...{ filter: 'SIMPLECSV', direction: 'tokenize', options },
		bytes: Buffer.from(hidden),
	});
	const before = await openVaultParts(t);
	const asBefore = await swap(before, before.engine([simplecsv as never]), {
		...{ filter: 'SIMPLECSV', direction: 'tokenize', options },
		bytes: Buffer.from(hidden),
	});
	t.is(tokenized.summary.cards, asBefore.summary.cards);
	t.is(tokenized.summary.otherNumbers, asBefore.summary.otherNumbers);
});
