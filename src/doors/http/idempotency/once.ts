// Carries out a streamed call at most once under its idempotency key (shapes §1). The key is claimed before the work of the
// call begins, or, for a file that is sent to a partner, before the file gets its final name there.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { mayHaveCommitted } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { RelayOrder } from '../../../work/relay/file-relay.ts';
import { readBody } from '../input/streaming-body.ts';
import { findIdempotencyKey, idempotencyClaims } from './claims.ts';
import { notingSent } from './effects.ts';
import { claimNotes, type IdempotencyRow, idempotencyStore } from './idempotency-store.ts';
import { type AnsweredRow, isAnswered, sealAnswer, sendKept } from './kept-answer.ts';
import { type Begun, findOutcome } from './outcome.ts';

/** The answer of a streamed call is not kept if it has more bytes than this. */
const MAX_KEPT_BYTES = 1024 * 1024;

/**
 * The words that an error about a repeated call writes before the id of the first call. With the word and the id, the
 * caller finds the first call in the audit trail or the log.
 */
const NAMES: Readonly<Record<Begun['kind'], string>> = { stream: 'stream', batch: 'batch', request: 'X-Request-Id' };

interface Parts {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly clock: Clock;
	readonly logger: Logger;
}

interface Exchange {
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

type RelayOnce = (order: Pick<RelayOrder, 'source' | 'beforePublishing'>) => Promise<FastifyReply>;

/** This error ends a call during which another call with the same idempotency key was answered. */
class AnsweredBefore extends Error {
	override readonly name = 'AnsweredBefore';
	readonly row: AnsweredRow;

	constructor(row: AnsweredRow) {
		super('the same call was answered');
		this.row = row;
	}
}

export type Once = ReturnType<typeof openOnce>;

export function openOnce(parts: Parts) {
	const { database, keyRing, identity, logger } = parts;
	const claims = idempotencyClaims(parts);
	const store = idempotencyStore(database);

	/** Sends the kept answer of an earlier call. The body is read for its hash, which shows whether both are the same. */
	const sendAgain = async ({ request, reply }: Exchange, key: string): Promise<FastifyReply> => {
		const body = createHash('sha256');
		for await (const bytes of readBody(request)) body.update(bytes);
		const row = await claims.claim(request, { key, body });
		if (isAnswered(row)) return sendKept(keyRing, row, reply);
		// The kept answer expired while the body of the repeated call was read. So the key is freed, and an error tells the
		// caller to send the call again.
		await store.forget(row);
		throw new ServiceError('database-unavailable', {
			field: 'Idempotency-Key',
			problem: 'the kept answer expired just now; send the call again',
		});
	};

	return {
		/**
		 * Carries out a call that stores or exchanges cards before its whole body has arrived, unless it was, or may have been,
		 * carried out before: its key is used up by the first byte of the answer. A short answer without card data is kept
		 * and sent again. `run` gets the claim, or none for a call without a key. `run` throws only if nothing of its answer
		 * was sent; the key is then free again, unless what `run` has begun may have been stored.
		 * @throws ServiceError `call-repeated` for a call whose answer is not kept
		 */
		async stream(exchange: Exchange, run: (claim?: StreamClaim) => Promise<FastifyReply>): Promise<FastifyReply> {
			const { request } = exchange;
			const key = findIdempotencyKey(request);
			if (key === undefined) return run();
			if ((await claims.find(request, key))?.sealed) return sendAgain(exchange, key);
			const row = await claims.claim(request, { key, body: createHash('sha256'), isStreamed: true });
			const begun = findOutcome(row) as Begun | undefined;
			if (begun !== undefined) {
				request.raw.resume();
				throw new ServiceError('call-repeated', {
					field: 'Idempotency-Key',
					problem: `its call was begun before and is not carried out twice, and its answer is not kept: ${NAMES[begun.kind]} ${begun.id}`,
				});
			}
			try {
				return await run(claimOf({ ...parts, claims, store }, exchange, key, row));
			} catch (error) {
				// What may have been made is not made again by a repeated call.
				await (mayHaveCommitted(error) ? store.release(row) : store.forget(row)).catch((err) =>
					logger.error({ requestId: request.id, err }, 'an idempotency key stays used'),
				);
				throw error;
			}
		},
		/**
		 * Sends a file to a partner once, or answers with the kept answer of an earlier call with the same key, which uses up
		 * none of the allowance. The key is claimed only when the whole file has arrived: a transfer may take hours, and one
		 * that breaks off must not leave a claim behind.
		 */
		async relayFile({ request, reply }: Exchange, run: RelayOnce): Promise<FastifyReply> {
			const key = findIdempotencyKey(request);
			if (key === undefined)
				return run({ source: readBody(request), beforePublishing: notingSent(parts, request).beforeSending });
			if (await claims.find(request, key)) return sendAgain({ request, reply }, key);
			request.charge = await identity.allowance.charge(request.principal);
			const body = createHash('sha256');
			const source = async function* () {
				for await (const bytes of readBody(request)) {
					body.update(bytes);
					yield bytes;
				}
			};
			try {
				return await run({
					source: source(),
					async beforePublishing() {
						const row = await claims.claim(request, { key, body });
						if (isAnswered(row)) throw new AnsweredBefore(row);
						request.idempotency = { key, body, claim: row };
						await notingSent(parts, request).beforeSending();
					},
				});
			} catch (error) {
				if (!(error instanceof AnsweredBefore)) throw error;
				await request.charge?.giveBack();
				request.charge = null;
				return sendKept(keyRing, error.row, reply);
			}
		},
	};
}

/** The claim that a streamed call has on its idempotency key while the call is carried out. */
export type StreamClaim = ReturnType<typeof claimOf>;

interface Opened extends Pick<Parts, 'database' | 'keyRing' | 'logger'> {
	readonly claims: ReturnType<typeof idempotencyClaims>;
	readonly store: ReturnType<typeof idempotencyStore>;
}

function claimOf(opened: Opened, { request, reply }: Exchange, key: string, row: IdempotencyRow) {
	const { database, keyRing, logger, claims, store } = opened;
	const body = createHash('sha256');
	let kept: Uint8Array[] | undefined = [];
	let keptBytes = 0;
	return {
		/**
		 * Notes the work that the call begins. Call this before anything is done. If the call is repeated, the answer to
		 * the repeated call names this work.
		 * @throws ServiceError if another call has taken over the claim
		 */
		async begin(begun: Begun): Promise<void> {
			if (await claimNotes(database.knex as never).note(row, begun)) return;
			throw new ServiceError('database-unavailable', {
				field: 'Idempotency-Key',
				problem: 'another call is using this key',
			});
		},
		/** Receives the bytes read from the body, so that a hash of them can be stored with the answer. */
		read: (bytes: Uint8Array) => void body.update(bytes),
		/** Receives the bytes of the answer, so that `keep` can keep them. */
		answered(bytes: Uint8Array): void {
			keptBytes += bytes.length;
			if (keptBytes > MAX_KEPT_BYTES) kept = undefined;
			kept?.push(Buffer.from(bytes));
		},
		/** Keeps the answer if it is short enough. It never throws. */
		async keep(): Promise<void> {
			if (kept === undefined) return;
			try {
				const answer = await sealAnswer(keyRing, row, reply, Buffer.concat(kept));
				const request_hash = await claims.hashFor(row, request, { key, body });
				await store.finish(row, { ...answer, request_hash });
			} catch (err) {
				logger.error({ requestId: request.id, err }, 'an answer could not be kept for its idempotency key');
			}
		},
	};
}
