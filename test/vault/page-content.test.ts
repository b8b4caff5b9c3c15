// The clear content of a page is wiped once nobody reads it any more.

import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { PageContent } from '../../src/vault/pages/page-codec.ts';
import { openPageRow } from '../../src/vault/pages/page-row.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const isClear = (page: PageContent) => page.whole().length > 0 && page.whole().some((byte) => byte !== 0);

test('a page that is wiped has no records any more, and may be wiped again', async (t) => {
	const parts = await openVaultParts(t, 'sqlite');
	const owner = 1 as AccountId;
	const card = { number: new CardNumber('4111111111111111'), expiry: 203012, type: 19 };
	await parts.vault.store({ accountId: owner, creatorId: owner, card });
	const small = await openPageRow(parts.keyRing, await parts.database.knex('pages').first());
	// The memory of a large page is freed as well.
	const large = new PageContent(Buffer.concat([small.whole(), Buffer.alloc(64 * 1024)]));
	for (const content of [small, large]) {
		t.true(isClear(content));
		for (let times = 0; times < 2; times++) {
			content.wipe();
			t.false(isClear(content));
		}
	}
	t.is(large.whole().length, 0);
});
