// A card may be deleted at the very moment in which something is stored beside it. Whichever of the two comes first, no
// row of the deleted card may be left.

import test from 'ava';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openVault } from '../../src/vault/vault.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';
import { leftBehind, OWNER, removals, storeTwo } from './attach-races.setup.ts';

const OTHER = 2 as AccountId;

for (const dialect of databases) {
	for (const [title, remove] of Object.entries(removals)) {
		test(`${dialect}: nothing is attached to a card that was found before ${title}`, async (t) => {
			const parts = await openVaultParts(t, dialect);
			const { token, page, slot } = await storeTwo(parts);
			let finds = true;
			// The card is deleted after `attach` has read its page, when it opens that page.
			const keyRing = {
				...parts.keyRing,
				async byId(...of: Parameters<typeof parts.keyRing.byId>) {
					if (finds) {
						finds = false;
						await remove(parts, { page: page.id, slot });
					}
					return parts.keyRing.byId(...of);
				},
			};
			const vault = await openVault({ ...parts, keyRing });
			await vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER, cvv: new Cvv('123') });
			t.false(finds, 'the card was deleted in between');
			t.deepEqual(await leftBehind(parts), []);
		});
	}

	test(`${dialect}: a card that is there gets its reference and its merchant together or neither`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { token } = await storeTwo(parts);
		await parts.database.knex.schema.renameTable('associations', 'away');
		await t.throwsAsync(parts.vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER }));
		await parts.database.knex.schema.renameTable('away', 'associations');
		t.deepEqual(await parts.database.knex('token_refs'), []);
		await parts.vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER });
		t.like(await parts.vault.findMetadata(OWNER, token), { reference: 'trip 7' });
		t.truthy(await parts.vault.find(OTHER, token));
	});
}
