// Opens keys, audit trail and identity over a fresh database.

import type { ExecutionContext } from 'ava';
import type { Clock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import { type Identity, openIdentity } from '../../src/people/identity/identity.ts';
import type { Principal } from '../../src/people/identity/principal.ts';
import { type Audit, openAudit } from '../../src/trail/audit.ts';
import { FIXTURE_TIME, openBegunDatabase, openBegunKeyRing } from './begun-database.ts';
import { openCertificateKeys } from './certificate-keys.ts';
import type { TestDatabase } from './database.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export interface IdentityParts {
	readonly database: TestDatabase;
	readonly keyRing: KeyRing;
	readonly audit: Audit;
	readonly identity: Identity;
	readonly clock: Clock;
	/** Moves the clock forward. */
	turn(milliseconds: number): void;
	/** Opens a second daemon on the same database, with its own memory. */
	anotherDaemon(): Promise<Pick<IdentityParts, 'identity' | 'audit' | 'keyRing'>>;
}

export async function openIdentityParts(t: ExecutionContext<unknown>, dialect: Dialect): Promise<IdentityParts> {
	let now = FIXTURE_TIME.getTime();
	const clock: Clock = { now: () => new Date(now) };
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const certificateKeys = openCertificateKeys();
	const openDaemon = async (keyRing: KeyRing) => {
		const audit = await openAudit({ database, keyRing, clock });
		const identity = openIdentity({ database, keyRing, audit, environment: 'sandbox', clock, certificateKeys });
		return { keyRing, audit, identity };
	};
	const turn = (milliseconds: number) => {
		now += milliseconds;
	};
	const anotherDaemon = async () => openDaemon(await openBegunKeyRing(database, clock));
	return { database, clock, turn, anotherDaemon, ...(await openDaemon(keyRing)) };
}

/** Makes an account, and returns it with its key in clear and the principal of that key. */
export async function createAccount(parts: IdentityParts, userId: string, more: object = {}) {
	const { account, secret, apiKey } = await parts.identity.createAccount({ userId, ...more }, 'operator test');
	const text = secret.reveal();
	const principal = (await parts.identity.authenticate({ kind: 'api-key', secret: text })) as Principal;
	return { account, apiKey, text, principal };
}
