import type { FailedLogins } from '../audit/failed-logins.ts';

/**
 * Returns a recorder that counts each failed login under its listener, for the metrics, and then records it in the
 * trail.
 */
export function countedLogins(
	failedLogins: FailedLogins,
	counter: { inc(labels: { door: string }): void },
): Pick<FailedLogins, 'note'> {
	return {
		note(login) {
			counter.inc({ door: login.door });
			failedLogins.note(login);
		},
	};
}
