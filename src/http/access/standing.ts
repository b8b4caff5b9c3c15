// Calls that stay open look at their credential again: bodies piece by piece, answers for as long as they are being written.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cutAtEnd } from '../../identity/cut-notice.ts';
import type { Permission } from '../../identity/permissions.ts';
import type { Standing } from '../../identity/standing.ts';
import type { HttpRooms } from '../rooms.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/** Set on calls whose body or answer is a stream, until the answer has left. */
		standing: Standing | null;
	}
}

/** Storing a card costs a unit, so these calls end with a block of their account. */
const COSTS_UNITS: ReadonlySet<Permission | undefined> = new Set<Permission>(['Tokenize', 'FileTokenize']);

/** Has every answer that is a stream cut off when its credential ends. Bodies are guarded where they are read. */
export function addStanding(app: FastifyInstance, rooms: Pick<HttpRooms, 'identity' | 'audit' | 'logger'>): void {
	app.decorateRequest('standing', null);
	app.addHook('onSend', (request, reply, payload, done) => {
		if (payload instanceof Readable && request.principal) {
			const { signal } = (request.standing ??= watchCall(rooms, request, reply));
			const cut = () => {
				// What a blocked account has stored may still be answered; nothing more is taken from it.
				if (signal.reason.reason !== 'allowance-exceeded') payload.destroy(signal.reason);
			};
			signal.addEventListener('abort', cut, { once: true });
			payload.once('close', () => signal.removeEventListener('abort', cut));
			if (signal.aborted) cut();
		}
		done(null, payload);
	});
}

/** From now on the credential of the call is looked at until its answer has left or its caller has gone. */
export function watchCall(
	{ identity, audit, logger }: Pick<HttpRooms, 'identity' | 'audit' | 'logger'>,
	{ principal, routeOptions, ip: address, id }: FastifyRequest,
	{ raw }: FastifyReply,
): Standing {
	const { isBillable = false, permission } = routeOptions.config;
	const standing = identity.standings.watch(principal, { isBillable: isBillable || COSTS_UNITS.has(permission) });
	cutAtEnd(standing, { audit, logger }, { door: 'http', principal, address, id }, () => {});
	for (const event of ['finish', 'close']) raw.once(event, () => standing.release());
	return standing;
}

/**
 * A source that ends with the credential behind it: each piece passes on an answer that is at most a second old, and one
 * that does not come is not waited for.
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
			// At the end of the body, too: what follows may be that a file is accepted.
			const looking = standing.check();
			if (looking) await looking;
			if (next.done) return;
			yield next.value;
		}
	} finally {
		signal.removeEventListener('abort', ended);
		// Not waited for: with a piece still asked for it settles when that comes, which may be never.
		source.return?.()?.catch(() => {});
	}
}
