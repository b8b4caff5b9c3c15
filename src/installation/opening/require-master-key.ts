import type { Database } from '../../base/database/open.ts';
import { keyStore } from '../../base/keys/key-store.ts';
import { openRootKeyWith, type RootKeySettings } from '../../base/keys/providers/open-root-key.ts';

/**
 * Checks that a text is the master key in use, or what its key service asks for. It serves as a proof, because a person who has
 * it could open everything anyway.
 */
export async function requireMasterKey(database: Pick<Database, 'knex'>, settings: RootKeySettings, text: string) {
	const root = openRootKeyWith(settings, text);
	const environmentKey = await keyStore(database.knex).findLatest('environment', 0);
	if (!environmentKey) throw new Error('internal error: the database has no environment key');
	try {
		(await root.unwrap(environmentKey.wrapped)).fill(0);
	} finally {
		await root.close();
	}
}
