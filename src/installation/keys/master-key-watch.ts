// Checks whether the master key of this daemon is still the present one. An idle daemon would not notice a change, and
// a former key is retired only when no daemon reports that it needs it.

import type { KeyRing } from '../../base/keys/key-ring.ts';
import { NEEDED_FOR_MS } from '../../base/keys/master-key-change.ts';
import { RootKeyAwayError } from '../../base/keys/root-key.ts';
import type { Logger } from '../../base/log/log.ts';

/** The master key is checked this often, well within the time after which a former one counts as not needed. */
const LOOK_EVERY_MS = NEEDED_FOR_MS / 6;

/** This is the text in `/readyz` and the log for a daemon that has a former master key. */
export const REPLACED = 'the master key was replaced: give this daemon the new one and restart it';

/** This is the text in `/readyz` and the log for a daemon whose key service is away. */
export const AWAY = 'the key service is away: what is open goes on, and a start would fail until it is back';

/** `/readyz` waits this long for a key service, because whoever asks may wait no longer than a second. */
const READY_MS = 700;

/** Checks the master key now and from time to time, and logs what has changed. `close` ends the checks. */
export function watchMasterKey(options: {
	readonly keyRing: Pick<KeyRing, 'check'>;
	readonly logger: Logger;
	readonly everyMs?: number;
}) {
	const { keyRing, logger, everyMs = LOOK_EVERY_MS } = options;
	let last: 'present' | 'replaced' | 'away' | 'unreachable' = 'present';
	let isLooking = false;
	let isClosed = false;
	const look = async () => {
		if (isLooking) return;
		isLooking = true;
		try {
			const state = await keyRing.check();
			if (state === 'replaced' && last !== state) logger.warn(REPLACED);
			if (state === 'present' && last !== state) logger.info('the present master key is in use');
			last = state;
		} catch (error) {
			if (isClosed) return;
			const isAway = error instanceof RootKeyAwayError;
			if (isAway && last !== 'away') logger.warn({ err: error }, AWAY);
			if (!isAway && last !== 'unreachable') logger.error({ err: error }, 'the master key cannot be had');
			last = isAway ? 'away' : 'unreachable';
		} finally {
			isLooking = false;
		}
	};
	void look();
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();
	return {
		/** Tells whether the last look found the key service away. */
		isAway: () => last === 'away',
		close(): void {
			isClosed = true;
			clearInterval(timer);
		},
	};
}

/**
 * Checks the master key for `/readyz`. A former master key still works, and so do open keys while the key service is away; both
 * cause a warning.
 */
export async function checkMasterKey(keyRing: Pick<KeyRing, 'check'>): Promise<string | undefined> {
	try {
		return (await keyRing.check(READY_MS)) === 'replaced' ? REPLACED : undefined;
	} catch (error) {
		if (error instanceof RootKeyAwayError) return AWAY;
		throw error;
	}
}
