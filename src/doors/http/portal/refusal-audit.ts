// Records in the audit trail what was refused to people who are signed in to the portal (PCI DSS 10.2.1.4), without letting
// them flood it.

import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { PortalParts } from './parts.ts';
import type { AnyPage, OpenCall } from './portal-page.ts';
import { ForbiddenError, ForgedError } from './refusals.ts';

const WINDOW_MS = 10 * 60_000;
/** Within ten minutes, this many refusals of a user get an entry; the access log has all of them. */
const ENTRIES = 20;

export type NoteRefusal = (page: AnyPage, call: OpenCall, thrown: unknown) => Promise<void>;

/** Returns a function that records an error if it means that the user may not do what they asked for. */
export function openRefusalNotes(options: Pick<PortalParts, 'audit' | 'clock' | 'logger'>): NoteRefusal {
	const { audit, clock, logger } = options;
	const isCounted = openCounts(clock);
	return async ({ method, path, right }, { viewer, request }, thrown) => {
		const reason = reasonOf(thrown);
		if (!viewer || reason === undefined || !isCounted(viewer.user.id)) return;
		const details = { page: `${method} ${path}`, right, reason };
		const entry = { actor: viewer.actor, action: 'portal.refuse', subject: `portal-user ${viewer.user.id}`, details };
		try {
			await audit.record(entry);
		} catch (err) {
			logger.error({ requestId: request.id, err }, 'a refusal of the portal is missing in the audit trail');
		}
	};
}

function reasonOf(thrown: unknown): string | undefined {
	if (thrown instanceof ForbiddenError) return 'right';
	if (thrown instanceof ForgedError) return 'forged';
	return thrown instanceof ServiceError && thrown.reason === 'permission-denied' ? 'permission' : undefined;
}

/** Returns a function that counts an entry of a user, and returns false if the user had too many already. */
function openCounts(clock: Clock): (userId: number) => boolean {
	const counts = new Map<number, { readonly sinceMs: number; entries: number }>();
	return (userId) => {
		const now = clock.now().getTime();
		for (const [id, { sinceMs }] of counts) if (sinceMs + WINDOW_MS <= now) counts.delete(id);
		const count = counts.get(userId) ?? { sinceMs: now, entries: 0 };
		counts.set(userId, count);
		count.entries += 1;
		return count.entries <= ENTRIES;
	};
}
