import type { Clock } from '../../src/base/clock.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import { openSessionRows } from '../../src/people/portal-users/sign-in/sessions.ts';
import { openUserRows } from '../../src/people/portal-users/users.ts';

/** Signs a user of the portal in without a login, and returns the header `Cookie` of their browser. */
export async function openPortalSession(
	parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock },
	userId: number,
): Promise<string> {
	const users = openUserRows(parts);
	const sessions = openSessionRows(parts, users);
	const row = (await users.findById(userId))!;
	const { cookie } = await parts.keyRing.seals.transact(parts.database, (transaction, sealer) =>
		sessions.open(transaction, sealer, row, {
			...{ step: 'open', hasSecondFactor: false, address: '127.0.0.1', agent: 'bench' },
		}),
	);
	return `tokendrop=${cookie.reveal()}`;
}
