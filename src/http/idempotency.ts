// `Idempotency-Key` (shapes §1): the same key with the same request brings the first answer again, for 24 hours. A retry
// after a lost answer then stores no second card.

import { type Hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { type IdempotencyRow, idempotencyStore } from './idempotency-store.ts';
import { sealAnswer, sendKept } from './kept-answer.ts';
import { hashedPayload, keyHash, requestHash } from './request-hash.ts';
import type { HttpRooms } from './rooms.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Whether `Idempotency-Key` counts: by default for every method that changes something. */
		readonly isIdempotent?: boolean;
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

const KEPT_MS = 24 * 3_600_000;
/** Longer than any call that is not streamed may take; a daemon that died leaves its claim for so long. */
const CLAIM_MS = 60_000;
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Adds the hooks. To be called before anything that changes answers on their way out. */
export function addIdempotency(app: FastifyInstance, { database, keyRing, identity, clock, logger }: HttpRooms): void {
	const store = idempotencyStore(database.knex);
	app.decorateRequest('idempotency', null);

	// Most calls have no key: these hooks let them pass without a turn of the event loop.
	app.addHook('preParsing', (request, _reply, payload, done) => {
		if (!hasIdempotencyKey(request)) return done(null, payload);
		const key = request.headers['idempotency-key'];
		if (typeof key !== 'string' || !KEY.test(key)) return done(refusal('expected 1 to 255 visible ASCII characters'));
		const { tap, hash } = hashedPayload(payload);
		request.idempotency = { key, body: hash };
		done(null, tap);
	});

	app.addHook('preHandler', (request, reply, done) => {
		const { idempotency } = request;
		if (!idempotency) return done();
		const begin = async () => {
			const row = await claim(request, idempotency);
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

	/** A row of our own without an answer, or the one with the first answer; waits while somebody else makes that. */
	async function claim(request: FastifyRequest, { key, body }: { key: string; body: Hash }): Promise<IdempotencyRow> {
		const bodyHash = body.digest('hex');
		const accountId = request.principal.accountId;
		const hashes = (await keyRing.all('credential')).map((each) => ({
			key: keyHash(each, key),
			request: requestHash(each, request.method, request.url, bodyHash),
		}));
		const keyHashes = hashes.map((each) => each.key);
		const deadline = Date.now() + CLAIM_MS;
		for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)) {
			const now = clock.now().getTime();
			const fresh: IdempotencyRow = {
				...{ account_id: accountId, key_hash: hashes[0].key, request_hash: hashes[0].request },
				...{
					claim: randomUUID(),
					claimed_until: now + CLAIM_MS,
					key_id: null,
					sealed: null,
					expires_at: now + KEPT_MS,
				},
			};
			const row = await store.find(accountId, keyHashes);
			if (!row) {
				if (await store.insert(fresh)) return fresh;
				continue;
			}
			if (row.expires_at <= now) {
				if (await store.replace(row, fresh)) return fresh;
				continue;
			}
			if (!hashes.some((each) => each.key === row.key_hash && each.request === row.request_hash)) {
				throw refusal('was used before with another request');
			}
			if (row.sealed !== null) return row;
			if (row.claimed_until <= now && (await store.replace(row, fresh))) return fresh;
			if (Date.now() > deadline) throw new ServiceError('request-timed-out');
			await sleep(waitMs);
		}
	}
}

/** Whether the answer to a request is kept, or was. */
export function hasIdempotencyKey(request: FastifyRequest): boolean {
	return request.headers['idempotency-key'] !== undefined && isKept(request);
}

function isKept({ routeOptions, method, is404 }: FastifyRequest): boolean {
	const { isPublic, isStreamed, isIdempotent } = routeOptions.config;
	if (is404 || isPublic || isStreamed) return false;
	return isIdempotent ?? UNSAFE.has(method);
}

function refusal(reason: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: `Idempotency-Key: ${reason}` });
}
