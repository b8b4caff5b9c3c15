import type { FailedLogins } from '../audit/failed-logins.ts';

/** Returns a recorder of failed logins that counts each of them by its listener before it records it in the trail. */
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
