// `Idempotency-Key` (shapes §1): the same key with the same request brings the first answer again, for 24 hours. A retry
// after a lost answer then stores no second card.

import type { Hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { HttpRooms } from '../rooms.ts';
import { findIdempotencyKey, idempotencyClaims } from './claims.ts';
import { type IdempotencyRow, idempotencyStore } from './idempotency-store.ts';
import { sealAnswer, sendKept } from './kept-answer.ts';
import { hashedPayload } from './request-hash.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/**
		 * Whether `Idempotency-Key` counts: by default for every method that changes something. A route that streams its
		 * body and says so claims the key itself. `refused`: what the call makes is new each time, and a key would promise
		 * something else.
		 */
		readonly isIdempotent?: boolean | 'refused';
		/** Whoever calls chooses keys without the account's knowledge. */
		readonly hasKeysOfOthers?: boolean;
	}
	interface FastifyRequest {
		idempotency: {
			readonly key: string;
			readonly body: Hash;
			claim?: IdempotencyRow;
			/** The answer is not the last word: the same call again is to be asked again. */
			isProvisional?: boolean;
			/**
			 * A third party has acted, or may have: the answer is kept whatever its status, with these headers of its own,
			 * since asking again would do it twice.
			 */
			actedWith?: ReadonlySet<string>;
		} | null;
	}
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Adds the hooks. To be called before anything that changes answers on their way out. */
export function addIdempotency(app: FastifyInstance, rooms: HttpRooms): void {
	const { database, keyRing, identity, logger } = rooms;
	const store = idempotencyStore(database.knex);
	const claims = idempotencyClaims(rooms);
	app.decorateRequest('idempotency', null);

	// Most calls have no key: these hooks let them pass without a turn of the event loop.
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
			// The first call has paid.
			if (row.sealed !== null) return sendKept(keyRing, { ...row, sealed: row.sealed }, reply);
			if (request.routeOptions.config.isBillable) await charge(request, row);
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
			const { isProvisional, actedWith } = request.idempotency!;
			const isFailure = reply.statusCode >= 500 && actedWith === undefined;
			if (isFailure || !isWhole || isProvisional) await store.release(row);
			else await store.finish(row, await sealAnswer(keyRing, row, reply, payload, actedWith));
		} catch (error) {
			// What the call did is done, and its caller is to know.
			logger.error({ requestId: request.id, err: error }, 'an answer could not be kept for its idempotency key');
		}
	}

	/** A refusal is not kept: the same call is welcome once there is something left again. */
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
 * A page that has a session of the payments library, and a third party that pushes, have keys of their own: they could
 * use up those that the account is going to use. No caller's key holds a blank.
 */
function scoped(key: string, { walletSession, routeOptions }: FastifyRequest): string {
	if (routeOptions.config.hasKeysOfOthers) return `third party ${key}`;
	return walletSession ? `session ${walletSession.id} ${key}` : key;
}

/** Whether the unit of a call is taken by whoever has looked its idempotency key up. */
export function isChargedLater(request: FastifyRequest): boolean {
	const { isStreamed, isIdempotent } = request.routeOptions.config;
	const hasKey = request.headers['idempotency-key'] !== undefined;
	return hasIdempotencyKey(request) || (hasKey && isStreamed === true && isIdempotent === true);
}

function isRefused({ headers, routeOptions }: FastifyRequest): boolean {
	return headers['idempotency-key'] !== undefined && routeOptions.config.isIdempotent === 'refused';
}

function noKeyHere(): ServiceError {
	return new ServiceError('bad-input-data', {
		field: 'Idempotency-Key',
		problem: 'not for this call, whose answer is another one each time',
	});
}

/** Whether the answer to a request is kept, or was. */
export function hasIdempotencyKey(request: FastifyRequest): boolean {
	return request.headers['idempotency-key'] !== undefined && isKept(request);
}

function isKept({ routeOptions, method, is404 }: FastifyRequest): boolean {
	const { isPublic, isStreamed, isIdempotent } = routeOptions.config;
	if (is404 || isPublic || isStreamed) return false;
	return isIdempotent === undefined ? UNSAFE.has(method) : isIdempotent === true;
}
