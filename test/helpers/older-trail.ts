import type { Database } from '../../src/base/database/open.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import { hashOf, signatureOf } from '../../src/trail/chain.ts';

/**
 * Makes an installation look as an earlier version left it: its first entry of the trail, which must be the only one, names
 * no tables, and no table is noted as sealed.
 */
export async function forgetSealedTables({ knex }: Pick<Database, 'knex'>, keyRing: KeyRing): Promise<void> {
	const [{ previous_hash: previousHash, key_id: keyId, ...entry }, ...others] = await knex('audit');
	if (others.length > 0) throw new Error('the trail has more entries than the first');
	const { secret } = await keyRing.current('audit');
	const details = JSON.stringify({ rows: 'sealed' });
	const hash = hashOf({ ...entry, details, previousHash, keyId }, secret);
	await knex('audit').update({ details, hash });
	await knex('audit_head').update({ hash, signature: signatureOf({ seq: entry.seq, hash, keyId }, secret) });
	await knex('sealed_tables').delete();
}
