// Logs a repeated failure once a minute with a count, because a flooded log is of no use.

export interface FailureLog {
	warn(details: object, message: string): void;
}

const MINUTE_MS = 60_000;
/** At most this many messages are counted separately. Messages are fixed texts, so there are few. */
const MAX_MESSAGES = 200;

/**
 * Returns a logger that counts repetitions of a message. The first message is logged at once. If it is repeated within
 * the minute, one more line follows at the end of the minute, with the number of repetitions as `times` and the details
 * of the last one.
 */
export function oncePerMinute(logger: FailureLog, windowMs = MINUTE_MS): FailureLog {
	const counted = new Map<string, { times: number; details: object }>();
	const open = (message: string) => {
		const state = { times: 0, details: {} };
		counted.set(message, state);
		setTimeout(() => {
			counted.delete(message);
			if (state.times === 0) return;
			logger.warn({ ...state.details, times: state.times }, message);
			open(message);
		}, windowMs).unref();
	};
	return {
		warn(details, message) {
			const state = counted.get(message);
			if (state) {
				state.times += 1;
				state.details = details;
				return;
			}
			if (counted.size < MAX_MESSAGES) open(message);
			logger.warn(details, message);
		},
	};
}
