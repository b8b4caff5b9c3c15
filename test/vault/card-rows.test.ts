import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { CARD_COLUMNS, type CardTable } from '../../src/vault/cards/card-rows.ts';
import { openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fingerprintsOf } from '../../src/vault/cards/fingerprint.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const MERCHANT = 2 as AccountId;
const card = () => ({ number: new CardNumber('4111111111111111'), expiry: 203012, type: 19 }) as const;
/** The columns that differ from row to row, or that are about the whole page where a file associates a merchant. */
const OWN = new Set(['id', 'page_id', 'slot', 'salt', 'sealed', 'seal']);

for (const dialect of databases) {
	test(`${dialect}: a card that is stored alone and one of a file have the same rows`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const whose = { accountId: OWNER, creatorId: OWNER, merchantId: MERCHANT };
		await parts.vault.store({ ...whose, card: card(), reference: 'mine', cvv: new Cvv('123') });
		const commit = new BulkCommit(parts.database);
		const writer = await openCardWriter({ ...parts, ...whose, now: parts.clock.now(), commit });
		await writer.reserve(1);
		const fields = fieldsOf(card());
		const placement = writer.place(fields);
		writer.addFingerprint(placement, fingerprintsOf(writer.fingerprintKeys, fields));
		writer.addReference(placement, 'mine');
		writer.addCvv(placement, Buffer.from('123'));
		await writer.flush();
		t.deepEqual(await parts.database.knex('foreign_tokens'), [], 'only an import of a vault writes them');
		for (const table of (Object.keys(CARD_COLUMNS) as CardTable[]).filter((each) => each !== 'foreign_tokens')) {
			const rows: Record<string, unknown>[] = await parts.database.knex(table);
			t.is(rows.length, 2, table);
			t.deepEqual(Object.keys(rows[0]).sort(), [...CARD_COLUMNS[table]].sort(), `every column of ${table} is written`);
			const [alone, ofFile] = rows.map((row) => Object.entries(row).filter(([column]) => !OWN.has(column)));
			t.deepEqual(alone, ofFile, table);
		}
	});
}
