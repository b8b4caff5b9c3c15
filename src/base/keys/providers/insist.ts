import { setTimeout as sleep } from 'node:timers/promises';
import { RootKeyAwayError } from '../root-key.ts';

/**
 * This error is thrown if a key service does not accept our login, or our login does not allow the key. Nothing changes that within
 * seconds, and a further attempt may lock the login.
 */
export class LoginRefusedError extends RootKeyAwayError {}

/** One attempt to ask a key service may take this long. */
export const ATTEMPT_MS = 2_000;
/** A service that does not serve is asked again for this long. A command or a start that waits for it tells its user after that. */
const PATIENCE_MS = 4_000;
const FIRST_PAUSE_MS = 100;

/** Asks a key service again, with longer and longer pauses, if it is away for a moment. @throws the error of the last attempt */
export async function insist<T>(attempt: () => Promise<T>): Promise<T> {
	const until = performance.now() + PATIENCE_MS;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
		try {
			return await attempt();
		} catch (error) {
			const isAway = error instanceof RootKeyAwayError && !(error instanceof LoginRefusedError);
			if (!isAway || performance.now() + pauseMs > until) throw error;
		}
		// Daemons that lost the service at the same moment do not come back at the same moment.
		await sleep(pauseMs * (0.5 + Math.random() / 2));
	}
}
