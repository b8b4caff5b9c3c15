import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { AuditRow } from '../audit-store.ts';

/**
 * Returns the audit key that a row names, or undefined if it names another kind of key, which means that the row was
 * altered.
 */
export async function findAuditKey(keyRing: KeyRing, id: AuditRow['key_id']) {
	try {
		const key = await keyRing.byId(id);
		return key.purpose === 'audit' ? key.secret : undefined;
	} catch (error) {
		await keyRing.check();
		if ((error as Error).name !== 'RootKeyError') throw error;
		return undefined;
	}
}
