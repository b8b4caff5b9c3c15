// This module stands in for src/doors/http/server/call-log.ts and keeps nothing, so that the cost of the log can be measured.

import type { CallLog } from '../../src/doors/http/server/call-log.ts';

export * from '../../src/doors/http/server/call-log.ts';

export function openCallLog(): CallLog {
	return { note() {}, list: async () => [], find: async () => undefined, close: async () => {} };
}

export async function purgeCallLog(): Promise<number> {
	return 0;
}
