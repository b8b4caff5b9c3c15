import type { AccountId, KeyId } from '../database/ids.ts';
import type { RowSealer } from '../keys/row-seals.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd } from './cvv-seal.ts';
import type { CvvRow } from './cvv-store.ts';
import { besideCvv, sealedCvvs } from './sealed-rows.ts';

/**
 * Creates the row of a CVV that is stored together with its card under the default policy. Its version is 0, because
 * the page of the card does not store a version for it yet.
 */
export function newCvvRow(
	sealer: Pick<RowSealer, 'seal'>,
	keyId: KeyId,
	{ accountId, page, slot }: { readonly accountId: AccountId; readonly page: number; readonly slot: number },
	sealed: Buffer,
	now: number,
): CvvRow {
	const row = {
		...{ page_id: page, slot, account_id: accountId, key_id: keyId, sealed, version: 0 },
		...{ ends_at: defaultCvvEnd(now), delete_card: 0 as const, uses_left: DEFAULT_CVV_USES },
	};
	return { ...row, ...sealer.seal(sealedCvvs, row, besideCvv([])) };
}
