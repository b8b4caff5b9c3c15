// Opens databases as a daemon leaves them after its first start, with the keys of the installation and the beginning of the
// audit trail. To make these takes longer than most tests, so they are made once and copied.

import type { ExecutionContext } from 'ava';
import type { Clock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { Database } from '../../src/base/database/open.ts';
import { migrate } from '../../src/base/database/schema.ts';
import { type KeyRing, openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { openTestDatabase, type Template, type TestDatabase } from './database.ts';

/** The time at which the installation began, and at which the clocks of tests begin. */
export const FIXTURE_TIME = new Date('2026-11-21T12:00:00Z');

/** The master key of all of these databases. */
const ROOT_KEY_HEX = '5a'.repeat(32);

const begun: Template = {
	name: 'begun',
	sources: ['base/database/migrations', 'base/keys', 'trail'],
	async fill(database) {
		await migrate(database);
		const clock = { now: () => FIXTURE_TIME };
		const keyRing = await openBegunKeyRing(database, clock);
		await openAudit({ database, keyRing, clock });
		for (const purpose of ['credential', 'token', 'drop', 'secret'] as const) await keyRing.current(purpose);
		// This process has reserved uses of the keys in advance but needs none of them, so their counts are set back.
		await database.knex('keys').update({ seals: 0 });
	},
};

/** Opens such a database for one test, with its keys. It is closed and removed when the test ends. */
export async function openBegunDatabase(
	t: ExecutionContext<unknown>,
	dialect: Dialect,
	clock?: Clock,
): Promise<{ database: TestDatabase; keyRing: KeyRing }> {
	const database = await openTestDatabase(t, dialect, begun);
	return { database, keyRing: await openBegunKeyRing(database, clock) };
}

/** Opens the keys once more, as another daemon does. */
export function openBegunKeyRing(database: Database, clock?: Clock, endedFile?: string): Promise<KeyRing> {
	// The root key wipes the bytes that it is given, so it gets a fresh copy every time.
	const root = localRootKey(Buffer.from(ROOT_KEY_HEX, 'hex'), 'test');
	return openKeyRing({ database, root, environment: 'sandbox', clock, endedFile });
}
