import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { type CardWriter, openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import { pageStore } from '../../src/vault/pages/page-store.ts';
import { TOKEN_BYTES } from '../../src/vault/tokens/token.ts';
import type { TokenQuery } from '../../src/vault/tokens/token-list.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const MERCHANT = 2 as AccountId;
const RUNNING = '01testjob00000000000000001' as PassId;
const HALF_SETTLED = '01testjob00000000000000002' as PassId;
const REFERENCE = 'trip';
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

function openStore(
	{ database, keyRing, clock }: VaultParts,
	passId: PassId | null,
	accountId = OWNER,
): Promise<CardWriter> {
	const owner = { accountId, creatorId: accountId, merchantId: MERCHANT };
	const pass = passId === null ? undefined : { id: passId, begunAt: 0 };
	const commit = new BulkCommit(database);
	return openCardWriter({ database, keyRing, ...owner, pass, now: clock.now(), clock, commit });
}

/** Stores new cards under one reference, and returns their tokens when they are durable. */
async function add(writer: CardWriter, count: number): Promise<string[]> {
	await writer.reserve(count);
	const added = Array.from({ length: count }, () => {
		const placement = writer.place(fieldsOf(visa));
		writer.addReference(placement, REFERENCE);
		return placement.tokens.toString('hex', placement.offset, placement.offset + TOKEN_BYTES);
	});
	await writer.flush();
	return added;
}

async function list(parts: VaultParts, query: Partial<TokenQuery> = {}): Promise<string[]> {
	const listed = await parts.vault.list(OWNER, { from: 0, num: 100_000, ...query });
	return listed.map(({ token }) => token);
}

async function checkPages(t: ExecutionContext, parts: VaultParts, expected: readonly string[]) {
	t.deepEqual(await list(parts), expected);
	t.deepEqual(await list(parts, { merchantId: MERCHANT }), expected, 'by merchant');
	t.deepEqual(await list(parts, { reference: REFERENCE }), expected, 'by reference');
	const { length } = expected;
	for (const from of [1, 31, 32, 99, 100, 101, 150, length - 1, length, length + 1]) {
		t.deepEqual(await list(parts, { from, num: 70 }), expected.slice(from, from + 70), `from ${from}`);
		const byMerchant = await list(parts, { from, num: 70, merchantId: MERCHANT });
		t.deepEqual(byMerchant, expected.slice(from, from + 70), `by merchant from ${from}`);
	}
}

for (const dialect of databases) {
	test(`${dialect}: tokens of an attempt that may be dropped are listed once it is through`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const first = await add(await openStore(parts, null), 100);
		// This attempt gets three blocks of ids, and another account gets one between the first two.
		const running = await openStore(parts, RUNNING);
		const dropped = await add(running, 64 * 32);
		await add(await openStore(parts, null, MERCHANT), 40);
		dropped.push(...(await add(running, 3000)));
		const last = await add(await openStore(parts, null), 100);
		const half = await openStore(parts, HALF_SETTLED);
		const settled = await add(half, 40);
		await half.settle();
		await add(half, 40);
		await checkPages(t, parts, [...first, ...last, ...settled]);

		await pageStore(parts.database.knex, dialect).forgetBlocks([RUNNING]);
		await checkPages(t, parts, [...first, ...dropped, ...last, ...settled]);
	});

	test(`${dialect}: an account whose every token may be dropped has none`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		await add(await openStore(parts, RUNNING), 40);
		for (const from of [0, 1, 100]) t.deepEqual(await list(parts, { from }), []);
	});
}
