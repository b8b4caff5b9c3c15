// Remembers which codes of an authenticator app were used. The row of the app names the last one, so that two requests
// at the same moment do not both use it. Whoever writes to the database could set that back, so the register of ended
// rows knows it too.

import type { Knex } from 'knex';
import type { RowSealer, RowSeals, RowShape } from '../../../base/keys/rows/row-seals.ts';
import { factorStore } from './factor-store.ts';
import { PERIOD_SECONDS } from './totp.ts';

/** The codes of a user, of which each ends those before it. No table has such rows. */
const appCodes: RowShape = {
	table: 'portal_totp_codes',
	id: ['user_id'],
	columns: [],
	freshness: { by: 'ended-rows', generation: 'generation', until: 'valid_until' },
};

const PERIOD_MS = PERIOD_SECONDS * 1000;

/** Uses up the code of a half minute; returns false if it was used before, or one of a later half minute was. */
export async function useCode(
	{ transaction, sealer, seals }: { transaction: Knex.Transaction; sealer: RowSealer; seals: RowSeals },
	userId: number,
	step: number,
): Promise<boolean> {
	// A clock may be half a minute off either way. The generation is later than any moment at which the code is accepted, so
	// that the register orders the codes by their half minutes and not by when they were used.
	const row = { user_id: userId, generation: (step + 2) * PERIOD_MS, valid_until: (step + 3) * PERIOD_MS };
	if (!seals.isCurrent({ shape: appCodes, row })) return false;
	if (!(await factorStore(transaction).useStep(userId, step))) return false;
	await sealer.end(transaction, appCodes, row);
	return true;
}
