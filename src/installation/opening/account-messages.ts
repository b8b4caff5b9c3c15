// Opens what decrypts and encrypts files of accounts, for a daemon, a worker thread or a command.

import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { openMessageThreads } from '../../base/openpgp/message-threads.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type Messages, openMessages } from '../../work/pgp/messages.ts';
import { accountDirectory } from './account-directory.ts';

/** Opens the messages of accounts. Its threads start when they are first needed. */
export function accountMessages(
	{ database, keyRing, identity }: { database: Database; keyRing: KeyRing; identity: Identity },
	{ transfer }: Pick<Settings, 'transfer'>,
	opened: <T extends { close(): Promise<void> }>(name: string, resource: T) => T,
): Messages {
	const threads = opened('threads for OpenPGP messages', openMessageThreads());
	const maxFileBytes = transfer.maxFileBytes ?? undefined;
	return openMessages({ database, keyRing, accounts: accountDirectory(identity), threads, maxFileBytes });
}
