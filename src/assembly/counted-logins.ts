import type { FailedLogins } from '../audit/failed-logins.ts';

/** Failed logins that are counted by their door on the way into the trail. */
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
