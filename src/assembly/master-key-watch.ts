// Looks whether the master key of this daemon is still the present one: nobody can tell an idle daemon otherwise, and a
// former one is retired only when no daemon says that it needs it.

import type { KeyRing } from '../keys/key-ring.ts';
import { NEEDED_FOR_MS } from '../keys/master-key-change.ts';
import type { Logger } from '../log.ts';

/** Well within the time after which a former master key is taken for one that nobody needs. */
const LOOK_EVERY_MS = NEEDED_FOR_MS / 6;

/** What `/readyz` and the log say of a daemon that has a former master key. */
export const REPLACED = 'the master key was replaced: give this daemon the new one and restart it';

/** Looks now and from time to time; says in the log what has changed. `close` it. */
export function watchMasterKey(rooms: {
	readonly keyRing: Pick<KeyRing, 'check'>;
	readonly logger: Logger;
	readonly everyMs?: number;
}): { close(): void } {
	const { keyRing, logger, everyMs = LOOK_EVERY_MS } = rooms;
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

/** The check for `/readyz`: a former master key is good enough, and worth a warning. */
export async function checkMasterKey(keyRing: Pick<KeyRing, 'check'>): Promise<string | undefined> {
	return (await keyRing.check()) === 'replaced' ? REPLACED : undefined;
}
