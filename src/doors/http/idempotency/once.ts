// Opens what carries out a streamed call at most once under its idempotency key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { RelayOrder } from '../../../work/relay/file-relay.ts';
import { relayFileOnce } from './relay-file-once.ts';
import { type StreamClaim, streamOnce } from './stream-once.ts';

interface Exchange {
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

export interface Once {
	/** Carries out a call whose work begins before its body has arrived (`streamOnce`). */
	stream(exchange: Exchange, run: (claim?: StreamClaim) => Promise<FastifyReply>): Promise<FastifyReply>;
	/** Carries out a call that sends a file to a partner (`relayFileOnce`). */
	relayFile(
		exchange: Exchange,
		run: (order: Pick<RelayOrder, 'source' | 'beforePublishing'>) => Promise<FastifyReply>,
	): Promise<FastifyReply>;
}

export function openOnce(parts: {
	database: Database;
	keyRing: KeyRing;
	identity: Identity;
	clock: Clock;
	logger: Logger;
}): Once {
	return {
		stream: (exchange, run) => streamOnce(parts, exchange, run),
		relayFile: (exchange, run) => relayFileOnce(parts, exchange, run),
	};
}
