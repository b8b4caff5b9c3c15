// Decides when keys are replaced. No key is used forever: each purpose has a cryptoperiod, which is announced some time
// before it ends, and a maximum number of seals. A key that has reached either is replaced automatically.

import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { KeyRow } from '../../base/keys/key-store.ts';
import { RootKeyAwayError } from '../../base/keys/root-key.ts';
import { SEALS_UNTIL_ROTATION } from '../../base/keys/seal-count.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Audit } from '../../trail/audit.ts';
import { rotateKeys } from './key-rotation.ts';

export type PeriodPurpose = keyof Settings['keys']['cryptoperiodDays'];

/** Tells how near the end of a key is. `soon`: the end is announced. `due`: the key is replaced within the hour. */
export type KeyTerm = 'running' | 'soon' | 'due';

export interface Term {
	/** The end of the cryptoperiod in milliseconds since 1970; null for purposes without one. */
	readonly endsAt: number | null;
	readonly term: KeyTerm;
	readonly why: 'age' | 'seals' | null;
}

const DAY_MS = 86_400_000;

export type Limits = Pick<Settings['keys'], 'cryptoperiodDays' | 'warnDays'>;

/** Limits without any cryptoperiod, for callers to whom the end of keys does not matter. */
export const NO_LIMITS = { cryptoperiodDays: {}, warnDays: 0 } as unknown as Limits;

/** Returns the position of a key in its cryptoperiod. Superseded keys seal nothing and have none. */
export function termOf(
	{ purpose, state, created_at, seals }: Pick<KeyRow, 'purpose' | 'state' | 'created_at' | 'seals'>,
	{ cryptoperiodDays, warnDays }: Limits,
	now: number,
): Term {
	const days = cryptoperiodDays[purpose as PeriodPurpose] as number | undefined;
	if (days === undefined || state !== 'active') return { endsAt: null, term: 'running', why: null };
	const endsAt = created_at + days * DAY_MS;
	if (seals >= SEALS_UNTIL_ROTATION) return { endsAt, term: 'due', why: 'seals' };
	if (endsAt <= now) return { endsAt, term: 'due', why: 'age' };
	return { endsAt, term: endsAt - warnDays * DAY_MS <= now ? 'soon' : 'running', why: null };
}

/** Replaces every key that is due; returns how many were replaced and how many will be due soon. It runs every hour. */
export async function rotateDueKeys(
	parts: { keyRing: KeyRing; audit: Audit; identity: Identity; actor: string; logger: Pick<Logger, 'warn' | 'info'> },
	limits: Limits,
	now: number,
): Promise<{ readonly rotated: number; readonly soon: number }> {
	const { keyRing, identity, logger } = parts;
	const keys = await keyRing.list();
	const users = await identity.accounts.userIdsOf([...new Set(keys.map((row) => row.account_id as never))]);
	let rotated = 0;
	let soon = 0;
	for (const row of keys) {
		const { term, why, endsAt } = termOf(row, limits, now);
		const purpose = row.purpose as PeriodPurpose;
		const userId = users.get(row.account_id as never);
		const told = { purpose, userId, generation: row.generation, endsAt: endsAt === null ? null : new Date(endsAt) };
		if (term === 'soon') {
			soon += 1;
			logger.warn(told, 'the cryptoperiod of a key ends soon: it is replaced then, or before by `key rotate`');
		}
		// A key whose account was removed is not replaced, because there are no cards left that a new key could seal.
		if (term !== 'due' || (row.account_id !== 0 && userId === undefined)) continue;
		try {
			await rotateKeys(parts, { purposes: [purpose], userId, why: why! });
		} catch (error) {
			// Only the environment key needs the key service. The others are replaced all the same.
			if (!(error instanceof RootKeyAwayError)) throw error;
			logger.warn({ ...told, err: error }, 'the key service is away: this key is replaced when it is back');
			continue;
		}
		logger.info({ ...told, why }, 'a key was replaced, since its cryptoperiod is over or it has sealed enough');
		rotated += 1;
	}
	return { rotated, soon };
}

/** Returns the days until the next key of each purpose is replaced, for metrics; negative if it is overdue. */
export async function daysLeft(
	{ keyRing }: { keyRing: KeyRing },
	limits: Limits,
	now: number,
): Promise<ReadonlyMap<string, number>> {
	const days = new Map<string, number>();
	for (const row of await keyRing.list()) {
		const { endsAt, why } = termOf(row, limits, now);
		if (endsAt === null) continue;
		const left = why === 'seals' ? 0 : (endsAt - now) / DAY_MS;
		days.set(row.purpose, Math.min(left, days.get(row.purpose) ?? left));
	}
	return days;
}
