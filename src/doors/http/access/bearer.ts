// Authenticates the session calls of the payments library, which have their own credential and errors (spec §5.4.3).

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../base/errors.ts';
import type { WalletSession } from '../../../work/payments/wallet/session.ts';
import type { Wallet } from '../../../work/payments/wallet/wallet.ts';
import { answerError, answerRefusedLogin } from '../negotiation/answer.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { LoginLimiter } from './login-limiter.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/** The session of the payments library, which is set on every call that needs one. */
		walletSession: WalletSession | null;
	}
}

/** Matches an `Authorization` header with a bearer token. The scheme may be in upper or lower case (RFC 9110). */
const BEARER = /^Bearer(?: +(.*))?$/i;
const INVALID = 'Session token is invalid';

export async function admitBearer(
	request: FastifyRequest,
	reply: FastifyReply,
	parts: { wallet: Pick<Wallet, 'authenticate'>; limiter: LoginLimiter; crossOrigin: CrossOrigin },
): Promise<FastifyReply | undefined> {
	const { wallet, limiter, crossOrigin } = parts;
	const header = BEARER.exec(request.headers.authorization ?? '');
	const found = header && (await wallet.authenticate(header[1] ?? '', request.ip));
	if (found) {
		await crossOrigin.admit(request, reply, found.principal.accountId);
		request.principal = { ...found.principal, requestId: request.id };
		request.walletSession = found.session;
		return undefined;
	}
	await crossOrigin.tell(request, reply);
	const tried = header ? { kind: 'wallet-session' } : undefined;
	if (limiter.noteFailure(request.ip, tried)) return answerRefusedLogin(reply, limiter.retryAfterSeconds);
	if (!header) return answerError(request, reply, new ServiceError('bearer-required', { moreInfo: EXPECTED }));
	return reply.code(401).type('text/plain; charset=utf-8').send(INVALID);
}

const EXPECTED = 'Authorization: expected Bearer and the session token';
