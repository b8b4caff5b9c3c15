import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { discardPages } from '../../src/engine/engine.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { type CardWriter, openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import { TOKEN_BYTES, type Token } from '../../src/vault/tokens/token.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const PASS = '01testpass0000000000000001' as PassId;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

type Story = (t: ExecutionContext, parts: VaultParts, writer: CardWriter) => Promise<void>;

function onBoth(title: string, story: Story): void {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => {
			const parts = await openVaultParts(t, dialect);
			const owner = { accountId: OWNER, creatorId: OWNER, pass: { id: PASS, begunAt: 0 } };
			const commit = new BulkCommit(parts.database);
			await story(t, parts, await openCardWriter({ ...parts, ...owner, now: parts.clock.now(), commit }));
		});
	}
}

async function add(writer: CardWriter, count: number): Promise<Token[]> {
	await writer.reserve(count);
	return Array.from({ length: count }, () => {
		const { tokens, offset } = writer.place(fieldsOf(visa));
		return tokens.toString('hex', offset, offset + TOKEN_BYTES) as Token;
	});
}

async function found({ vault }: VaultParts, tokens: readonly Token[]): Promise<number> {
	const cards = await Promise.all(tokens.map((token) => vault.find(OWNER, token)));
	return cards.filter((card) => card !== undefined).length;
}

onBoth('what was settled stays when the pass is dropped, and nothing after it does', async (t, parts, writer) => {
	// The first block has 64 pages of 32 cards: the last cards fall into the second, as do those that are dropped.
	const settled = await add(writer, 40);
	await writer.settle();
	settled.push(...(await add(writer, 2100)));
	await writer.settle();
	const dropped = await add(writer, 70);
	await writer.flush();
	t.is(await found(parts, [...settled, ...dropped]), 2210);
	await discardPages(parts.database, PASS);
	t.is(await found(parts, settled), 2140);
	t.is(await found(parts, dropped), 0);
	t.deepEqual(await parts.database.knex('page_blocks'), []);
});

onBoth('cards added while others are being settled are not among them', async (t, parts, writer) => {
	const settled = await add(writer, 10);
	const [, dropped] = await Promise.all([writer.settle(), add(writer, 10)]);
	await writer.flush();
	await discardPages(parts.database, PASS);
	t.deepEqual([await found(parts, settled), await found(parts, dropped)], [10, 0]);
});

onBoth('settling twice, and with nothing to settle, changes nothing', async (t, parts, writer) => {
	await writer.settle();
	const settled = await add(writer, 64 * 32);
	await writer.settle();
	await writer.settle();
	await discardPages(parts.database, PASS);
	t.is(await found(parts, settled), 64 * 32);
});
