import type { Knex } from 'knex';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import { sealedPortalPasskeys, sealedPortalRecoveryCodes, sealedPortalTotp } from '../sealed-rows.ts';
import { factorStore } from './factor-store.ts';

/** Removes every second factor of a user, so that none of them works again if somebody puts its row back. */
export async function removeFactors(transaction: Knex.Transaction, sealer: RowSealer, userId: number): Promise<void> {
	const store = factorStore(transaction);
	await sealer.end(transaction, sealedPortalTotp, ...(await store.removeTotp(userId)));
	await sealer.end(transaction, sealedPortalPasskeys, ...(await store.removePasskeys(userId)));
	await removeRecoveryCodes(transaction, sealer, userId);
}

/** Removes the recovery codes of a user, so that none of them works again. */
export async function removeRecoveryCodes(transaction: Knex.Transaction, sealer: RowSealer, userId: number) {
	await sealer.end(transaction, sealedPortalRecoveryCodes, ...(await factorStore(transaction).removeCodes(userId)));
}
