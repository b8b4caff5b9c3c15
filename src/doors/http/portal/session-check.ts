// Checks again and again, while a file is sent or received, that the session of its user is still open.

import type { FastifyRequest } from 'fastify';
import type { Right } from '../../../people/portal-users/rights.ts';
import { readCookie } from './cookies.ts';
import type { PortalParts } from './parts.ts';
import type { PortalCall } from './portal-page.ts';
import { SessionEndedError } from './refusals.ts';

const CHECK_MS = 5_000;

/**
 * Checks the session if that is due, and always if `isLast` is true.
 * @throws SessionEndedError if the session has ended, or its user no longer has the right that the request needs
 */
export type SessionCheck = (options?: { readonly isLast?: boolean }) => Promise<void>;

/**
 * Returns a function that checks the session of a request, but not more often than `CHECK_MS`. Whoever sends or
 * receives a file is not idle, so each check extends the session.
 */
export function sessionCheck(
	request: FastifyRequest,
	{ portal, clock }: Pick<PortalParts, 'clock' | 'portal'>,
	right: Right,
): SessionCheck {
	const cookie = readCookie(request, 'session') ?? '';
	let checkedAt = clock.now().getTime();
	return async ({ isLast = false } = {}) => {
		const now = clock.now().getTime();
		if (!isLast && now - checkedAt < CHECK_MS) return;
		checkedAt = now;
		const viewer = await portal.sessions.find(cookie, request.ip);
		if (!viewer?.has(right)) throw new SessionEndedError();
	};
}

/**
 * Yields the bytes of a request while the session of its user is open.
 * @throws SessionEndedError
 */
export async function* whileSignedIn(
	{ request, checkSession }: Pick<PortalCall, 'request' | 'checkSession'>,
	right: Right = 'files.upload',
): AsyncGenerator<Buffer> {
	const check = checkSession(right);
	const chunks = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
	try {
		for await (const chunk of chunks) {
			await check();
			yield chunk;
		}
		await check({ isLast: true });
	} finally {
		// The rest of the body is discarded, because a browser reads the answer only after it has sent everything.
		request.raw.resume();
	}
}
