// Opens what carries out a streamed call at most once under its idempotency key.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { RelayOrder } from '../../../work/relay/file-relay.ts';
import { readBody } from '../input/streaming-body.ts';
import { findIdempotencyKey, idempotencyClaims } from './claims.ts';
import { notingSent } from './effects.ts';
import { type AnsweredRow, isAnswered, sendKept } from './kept-answer.ts';
import { type StreamClaim, sendAgain, streamOnce } from './stream-once.ts';

type RelayOnce = (order: Pick<RelayOrder, 'source' | 'beforePublishing'>) => Promise<FastifyReply>;

interface Exchange {
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

export type Once = ReturnType<typeof openOnce>;

export function openOnce(parts: {
	database: Database;
	keyRing: KeyRing;
	identity: Identity;
	clock: Clock;
	logger: Logger;
}) {
	return {
		/** Carries out a call whose work begins before its body has arrived (`streamOnce`). */
		stream: (exchange: Exchange, run: (claim?: StreamClaim) => Promise<FastifyReply>) =>
			streamOnce(parts, exchange, run),
		/** Carries out a call that sends a file to a partner (`relayFileOnce`). */
		relayFile: (exchange: Exchange, run: RelayOnce) => relayFileOnce(parts, exchange, run),
	};
}

/** This error ends a call during which another call with the same idempotency key was answered. */
class AnsweredBefore extends Error {
	override readonly name = 'AnsweredBefore';
	readonly row: AnsweredRow;

	constructor(row: AnsweredRow) {
		super('the same call was answered');
		this.row = row;
	}
}

/**
 * Sends a file to a partner once, or answers with the kept answer of an earlier call with the same key, which uses up none
 * of the allowance. The key is claimed only when the whole file has arrived, right before the file gets its final name at
 * the partner: a transfer may take hours, and one that breaks off must not leave a claim behind.
 */
async function relayFileOnce(
	parts: { database: Database; keyRing: KeyRing; identity: Identity; clock: Clock },
	{ request, reply }: Exchange,
	run: RelayOnce,
): Promise<FastifyReply> {
	const key = findIdempotencyKey(request);
	if (key === undefined)
		return run({ source: readBody(request), beforePublishing: notingSent(parts, request).beforeSending });
	const claims = idempotencyClaims(parts);
	if (await claims.find(request, key)) return sendAgain(parts, { request, reply, key });
	request.charge = await parts.identity.allowance.charge(request.principal);
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
		return sendKept(parts.keyRing, error.row, reply);
	}
}
