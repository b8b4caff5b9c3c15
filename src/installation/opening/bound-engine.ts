import { systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type AccountDirectory, type TransferEngine, transferEngine } from '../../engine/engine.ts';
import type { Format } from '../../engine/format.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Audit } from '../../trail/audit.ts';
import { accountDirectory } from './account-directory.ts';
import { eliminationLimit } from './elimination-limit.ts';
import { openFormats } from './open-formats.ts';

/**
 * Opens the engine for every format, with an open database, keys, and a way to look up accounts. Jobs, HTTP and
 * commands all use it.
 */
export async function boundEngine(
	parts: { database: Database; keyRing: KeyRing; audit: Audit; identity: Identity; logger?: Logger },
	settings: Pick<Settings, 'transfer' | 'elimination'>,
): Promise<{
	readonly engine: TransferEngine;
	readonly accounts: AccountDirectory;
	readonly formats: ReadonlyMap<string, Format>;
}> {
	const { database, keyRing, identity } = parts;
	const elimination = eliminationLimit(parts, settings);
	const accounts = accountDirectory(identity);
	const formats = await openFormats(parts);
	const clock = systemClock;
	const limits = settings.transfer;
	const engine = transferEngine({ database, keyRing, formats, accounts, clock, limits, elimination });
	return { engine, accounts, formats };
}
