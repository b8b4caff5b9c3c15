import type { FailedLogins } from '../audit/failed-logins.ts';

/** Counts failed logins by their listener before they are recorded in the trail. */
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
