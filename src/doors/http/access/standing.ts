// Checks the credential again while a call stays open: for each piece of a body, and while an answer is written.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/log/log.ts';
import type { Standing } from '../../../people/identity/accounts/standing.ts';
import { cutAtEnd } from '../../../people/identity/credentials/cut-notice.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Permission } from '../../../people/identity/permissions.ts';
import type { Audit } from '../../../trail/audit.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/**
		 * Tracks whether the credential of the call is still valid. It is set on calls whose body or answer is a stream,
		 * until the answer has been sent.
		 */
		standing: Standing | null;
	}
}

/** The permissions of calls that store cards, each for a unit, so that they end when their account is blocked. */
const COSTS_UNITS: ReadonlySet<Permission | undefined> = new Set<Permission>(['Tokenize', 'FileTokenize']);

/**
 * Cuts off every streamed answer when the credential of its call ends. While a body is read, `whileStanding` checks the
 * credential instead.
 */
export function addStanding(app: FastifyInstance, parts: { identity: Identity; audit: Audit; logger: Logger }): void {
	app.decorateRequest('standing', null);
	app.addHook('onSend', (request, reply, payload, done) => {
		if (payload instanceof Readable && request.principal) {
			const { signal } = (request.standing ??= watchCall(parts, request, reply));
			const cut = () => {
				// If an account is blocked, the answer about cards that were already stored is still sent, but no more cards
				// are accepted.
				if (signal.reason.reason !== 'allowance-exceeded') payload.destroy(signal.reason);
			};
			signal.addEventListener('abort', cut, { once: true });
			payload.once('close', () => signal.removeEventListener('abort', cut));
			if (signal.aborted) cut();
		}
		done(null, payload);
	});
}

/** Watches the credential of the call until its answer has been sent or its caller has gone. */
export function watchCall(
	{ identity, audit, logger }: { identity: Identity; audit: Audit; logger: Logger },
	{ principal, routeOptions, ip: address, id }: FastifyRequest,
	{ raw }: FastifyReply,
): Standing {
	const { isBillable = false, permission } = routeOptions.config.call?.needs ?? {};
	const standing = identity.standings.watch(principal, { isBillable: isBillable || COSTS_UNITS.has(permission) });
	cutAtEnd(standing, { audit, logger }, { door: 'http', principal, address, id }, () => {});
	for (const event of ['finish', 'close']) raw.once(event, () => standing.release());
	return standing;
}

/**
 * Wraps a source so that it ends when the credential of the call ends: each piece is passed on after a check that is at
 * most a second old, and the end of the credential takes effect even while no piece arrives.
 */
export async function* whileStanding<Piece>(
	source: AsyncIterator<Piece>,
	standing: Standing,
): AsyncGenerator<Piece, void, undefined> {
	const { signal } = standing;
	let stop: (reason: unknown) => void = () => {};
	const ended = () => stop(signal.reason);
	signal.addEventListener('abort', ended);
	try {
		for (;;) {
			const next = await new Promise<IteratorResult<Piece>>((resolve, reject) => {
				stop = reject;
				if (signal.aborted) ended();
				source.next().then(resolve, reject);
			});
			// The credential is also checked at the end of the body, because a file may be accepted next.
			const looking = standing.check();
			if (looking) await looking;
			if (next.done) return;
			yield next.value;
		}
	} finally {
		signal.removeEventListener('abort', ended);
		// Nobody waits until the source has ended: if a piece is still pending, `return` of the source's iterator would
		// resolve only with that piece, which may never come.
		source.return?.()?.catch(() => {});
	}
}
