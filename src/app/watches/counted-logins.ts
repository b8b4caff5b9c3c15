import { type FailedLogins, UNKNOWN_KEY } from '../../trail/failed-logins.ts';
import type { Metrics } from './metrics/metrics.ts';

/**
 * Returns a recorder that counts each failed login under its listener, and each offer of an unknown key, for the metrics,
 * and then records it in the trail.
 */
export function countedLogins(
	failedLogins: FailedLogins,
	{ loginFailures, unknownKeys }: Pick<Metrics, 'loginFailures' | 'unknownKeys'>,
): Pick<FailedLogins, 'note'> {
	return {
		note(login) {
			if (login.reason === UNKNOWN_KEY) unknownKeys.inc();
			else loginFailures.inc({ door: login.door });
			failedLogins.note(login);
		},
	};
}
