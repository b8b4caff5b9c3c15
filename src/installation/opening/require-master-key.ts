import type { Database } from '../../base/database/open.ts';
import { keyStore } from '../../base/keys/key-store.ts';
import { localRootKey, parseKeyMaterial } from '../../base/keys/providers/local.ts';

/**
 * Checks that a text is the master key in use. That key serves as a proof, because a person who has it could open
 * everything anyway.
 */
export async function requireMasterKey(database: Pick<Database, 'knex'>, text: string): Promise<void> {
	const description = 'standard input';
	const root = localRootKey(parseKeyMaterial(text, description), description);
	const environmentKey = await keyStore(database.knex).findLatest('environment', 0);
	if (!environmentKey) throw new Error('internal error: the database has no environment key');
	(await root.unwrap(environmentKey.wrapped)).fill(0);
}
