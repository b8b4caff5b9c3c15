// Walks over everything that the vault knows of the records of an account, the numbers included, for an export of the vault.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { Beside } from '../beside.ts';
import type { CvvPolicy } from '../cvvs/cvv.ts';
import { openUnlessDamaged } from '../pages/page-row.ts';
import type { PageRow } from '../pages/page-store.ts';
import type { PageKind, StoredRecord } from '../pages/record-codec.ts';
import type { LiveTokens } from '../tokens/live-tokens.ts';
import type { Token } from '../tokens/token.ts';
import { walkTokens } from '../tokens/token-list.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/** A record with all that belongs to it but a CVV. */
export interface WholeRecord {
	readonly token: Token;
	readonly page: PageRow;
	readonly record: StoredRecord;
	readonly references: readonly string[];
	readonly merchantIds: readonly AccountId[];
	/** The policy of the CVV that is kept for the card, if there is one. */
	readonly policy: CvvPolicy | null;
	/** When retention removes the record, because the policy of its CVV says so. */
	readonly removalAt: Date | null;
	readonly isFound: boolean;
}

/**
 * Yields the records of an account on pages of a kind, oldest first, in batches that are wiped when the next one is
 * requested. `onLeftOut` is called with the number of records whose page does not open.
 */
export async function* walkRecords(
	{ database, keyRing, tokens, clock }: { database: Database; keyRing: KeyRing; tokens: LiveTokens; clock: Clock },
	accountId: AccountId,
	kind: PageKind,
	onLeftOut: (records: number) => void,
): AsyncGenerator<WholeRecord[]> {
	const open = (page: PageRow) => openUnlessDamaged(keyRing, page);
	const query = { from: 0, num: Number.POSITIVE_INFINITY, kind };
	for await (const found of walkTokens({ database, open, onLeftOut }, accountId, query)) {
		const ids = [...new Set(found.map(({ page }) => page.id))];
		const beside = await Beside.load(database, ids);
		const fingerprints = await fingerprintStore(database.knex, database.dialect).listPlaces(ids);
		const places = new Set(fingerprints.map(({ page_id, slot }) => `${page_id}/${slot}`));
		const cipher = await tokens.current();
		const now = clock.now().getTime();
		yield await keyRing.seals.withSealer((sealer) =>
			found.map(({ page, slot, record, memory }) => {
				const token = cipher.tokenAt(page, slot, record);
				const isFound = places.has(`${page.id}/${slot}`);
				return { token, page, record, isFound, ...beside.of(sealer, { page: page.id, slot, memory }, now) };
			}),
		);
	}
}
