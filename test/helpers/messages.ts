// Opens what decrypts and encrypts files, for tests of jobs whose accounts exist only by their ids.

import type { Database } from '../../src/base/database/open.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import { createKey, type KeyParts } from '../../src/base/openpgp/keys.ts';
import { openMessageThreads } from '../../src/base/openpgp/message-threads.ts';
import { type Messages, openMessages } from '../../src/work/pgp/messages.ts';

let made: Promise<KeyParts> | undefined;
/** Returns an own key, made once, because that takes a second. */
export const ownKey = () => (made ??= createKey('agency own'));

/** Opens messages. Threads start only when a test has a file that is one. */
export function messagesOf({ database, keyRing }: { database: Database; keyRing: KeyRing }): Messages {
	const getAccount = async (accountId: never) => ({ ownerId: accountId, accountId, hasCvvRetention: false });
	return openMessages({ database, keyRing, accounts: { getAccount }, threads: openMessageThreads() });
}
