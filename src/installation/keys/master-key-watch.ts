// Checks whether the master key of this daemon is still the present one. An idle daemon would not notice a change, and
// a former key is retired only when no daemon reports that it needs it.

import type { KeyRing } from '../../base/keys/key-ring.ts';
import { NEEDED_FOR_MS } from '../../base/keys/master-key-change.ts';
import type { Logger } from '../../base/log/log.ts';

/**
 * The master key is checked this often, well within the time after which a former one is no longer regarded as needed.
 */
const LOOK_EVERY_MS = NEEDED_FOR_MS / 6;

/** This is the text in `/readyz` and the log for a daemon that has a former master key. */
export const REPLACED = 'the master key was replaced: give this daemon the new one and restart it';

/** Checks the master key now and from time to time, and logs what has changed. `close` ends the checks. */
export function watchMasterKey(options: {
	readonly keyRing: Pick<KeyRing, 'check'>;
	readonly logger: Logger;
	readonly everyMs?: number;
}): { close(): void } {
	const { keyRing, logger, everyMs = LOOK_EVERY_MS } = options;
	let last: 'present' | 'replaced' | 'unreachable' = 'present';
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
			if (last !== 'unreachable') logger.error({ err: error }, 'the master key cannot be had');
			last = 'unreachable';
		} finally {
			isLooking = false;
		}
	};
	void look();
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();
	return {
		close() {
			isClosed = true;
			clearInterval(timer);
		},
	};
}

/** Checks the master key for `/readyz`. A former master key still works, but causes a warning. */
export async function checkMasterKey(keyRing: Pick<KeyRing, 'check'>): Promise<string | undefined> {
	return (await keyRing.check()) === 'replaced' ? REPLACED : undefined;
}
