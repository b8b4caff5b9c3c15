// Implements `Idempotency-Key` (shapes §1): for 24 hours the same key with the same request returns the first answer
// again. So a retry after a lost answer stores no second card.

import type { Hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, type ServiceError } from '../../../base/errors.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { findIdempotencyKey, idempotencyClaims } from './claims.ts';
import { type IdempotencyRow, idempotencyStore } from './idempotency-store.ts';
import { isAnswered, sealAnswer, sendKept } from './kept-answer.ts';
import { hashedPayload } from './request-hash.ts';
import { takesKey } from './takes-key.ts';

declare module 'fastify' {
	interface FastifyRequest {
		idempotency: {
			readonly key: string;
			readonly body: Hash;
			claim?: IdempotencyRow;
			/** True once the claim notes, as durably as the thing itself, what the call has made. */
			isNoted?: boolean;
			/** True if the answer is not final, so a repeated call is carried out again. */
			isProvisional?: boolean;
			/**
			 * The names of the third party's headers that are kept with the answer. The set is present once a third party has
			 * acted or may have acted; then the answer is kept whatever its status is, because a repeated call would act
			 * twice.
			 */
			actedWith?: ReadonlySet<string>;
		} | null;
	}
}

/**
 * Adds the hooks for idempotency keys. They must be added before any hook that changes answers on their way out, such
 * as compression, because they keep each answer as it is when they get it.
 */
export function addIdempotency(
	app: FastifyInstance,
	parts: { database: Database; keyRing: KeyRing; identity: Identity; clock: Clock; logger: Logger },
): void {
	const { database, keyRing, identity, logger } = parts;
	const store = idempotencyStore(database);
	const claims = idempotencyClaims(parts);
	app.decorateRequest('idempotency', null);

	// Most calls have no key: for these the hooks return at once, without waiting for a turn of the event loop.
	app.addHook('preParsing', (request, _reply, payload, done) => {
		if (!hasIdempotencyKey(request)) return done(isRefused(request) ? noKeyHere() : null, payload);
		const { tap, hash } = hashedPayload(payload);
		request.idempotency = { key: scoped(findIdempotencyKey(request)!, request), body: hash };
		done(null, tap);
	});

	app.addHook('preHandler', (request, reply, done) => {
		const { idempotency } = request;
		if (!idempotency) return done();
		const begin = async () => {
			const row = await claims.claim(request, idempotency);
			// A call that gets a kept answer uses up none of the allowance, because the first call with this key has
			// paid.
			if (isAnswered(row)) return sendKept(keyRing, row, reply);
			if (request.routeOptions.config.call?.needs.isBillable) await charge(request, row);
			idempotency.claim = row;
			done();
		};
		begin().catch(done);
	});

	app.addHook<unknown>('onSend', (request, reply, payload, done) => {
		const row = request.idempotency?.claim;
		if (!row) return done(null, payload);
		void keep(request, reply, payload, row).then(() => done(null, payload));
	});

	async function keep(request: FastifyRequest, reply: FastifyReply, payload: unknown, row: IdempotencyRow) {
		try {
			const isWhole =
				payload === null || payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload);
			const { isProvisional, isNoted, actedWith } = request.idempotency!;
			const isFailure = reply.statusCode >= 500 && actedWith === undefined;
			if (isFailure || !isWhole || isProvisional) return await store.release(row);
			const answer = await sealAnswer(keyRing, row, reply, payload, actedWith);
			await (isNoted && reply.statusCode < 400 ? store.finishUnsynced(row, answer) : store.finish(row, answer));
		} catch (error) {
			// The call took effect, so its caller is answered even if the answer cannot be kept. A repeated call then need
			// not wait until the claim runs out.
			claims.end(row);
			logger.error({ requestId: request.id, err: error }, 'an answer could not be kept for its idempotency key');
		}
	}

	/**
	 * Takes the unit of allowance that a call costs. If the account has no unit left, the call is refused, and this
	 * refusal is not kept, so the same call succeeds once the account has units again.
	 */
	async function charge(request: FastifyRequest, row: IdempotencyRow): Promise<void> {
		try {
			request.charge = await identity.allowance.charge(request.principal);
		} catch (error) {
			await store.release(row);
			throw error;
		}
	}
}

/**
 * Adds a prefix to idempotency keys that the account does not choose itself: those of the payments library's pages and
 * those of third parties. Without it, these callers could use up keys that the account is going to use. The prefix ends
 * with a blank, which no caller's key contains.
 */
function scoped(key: string, { walletSession, routeOptions }: FastifyRequest): string {
	if (routeOptions.config.call?.hasKeysOfOthers) return `third party ${key}`;
	return walletSession ? `session ${walletSession.id} ${key}` : key;
}

/**
 * Returns whether the unit that a call costs is taken only once its idempotency key is looked up, and not before,
 * because a call that gets a kept answer costs nothing.
 */
export function isChargedLater(request: FastifyRequest): boolean {
	const { headers, routeOptions, method, is404 } = request;
	return headers['idempotency-key'] !== undefined && !is404 && takesKey(routeOptions.config, method);
}

function isRefused({ headers, routeOptions }: FastifyRequest): boolean {
	return headers['idempotency-key'] !== undefined && routeOptions.config.call?.isIdempotent === 'refused';
}

function noKeyHere(): ServiceError {
	return badInput('Idempotency-Key', 'is not allowed for this call, because every answer is a new one');
}

/**
 * Returns whether the hooks of `addIdempotency` handle the idempotency key of a request and keep its answer. Calls that
 * stream their body handle their key themselves.
 */
export function hasIdempotencyKey(request: FastifyRequest): boolean {
	return isChargedLater(request) && !request.routeOptions.config.isStreamed;
}
