// Who may call what: every route says so in its config, and these hooks hold it, in the order of shapes §11: endpoint,
// credential, permission, allowance; parameters and body come after.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ACCESS_TOKEN_SHAPE } from '../../identity/access-token.ts';
import type { Charge } from '../../identity/allowance.ts';
import type { Credential } from '../../identity/authenticate.ts';
import { type Permission, requirePermission } from '../../identity/permissions.ts';
import type { Principal } from '../../identity/principal.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import { isChargedLater } from '../idempotency/idempotency.ts';
import { answerRefusedLogin } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import type { StrayAnswer } from '../server/allowed-methods.ts';
import { admitBearer } from './bearer.ts';
import { findCredential } from './credentials.ts';
import { addStanding, watchCall } from './standing.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Needs no credential: the certificate, pages and their files (shapes §11). */
		readonly isPublic?: boolean;
		/** Session and access tokens will not do. */
		readonly isApiKeyOnly?: boolean;
		readonly permission?: Permission;
		/** Costs one unit of the allowance unless it ends in a 4xx. */
		readonly isBillable?: boolean;
	}
	interface FastifyRequest {
		/** Set on every route that is not public. */
		principal: Principal;
		charge: Charge | null;
	}
}

/** Adds the checks to every route of the app. */
export function addAccess(
	app: FastifyInstance,
	rooms: HttpRooms,
	{ wallet, answerStray }: { readonly wallet: Pick<Wallet, 'authenticate'>; readonly answerStray: StrayAnswer },
): void {
	const { identity, loginLimiter: limiter, logger } = rooms;
	app.decorateRequest('principal', null as never);
	app.decorateRequest('charge', null);
	app.decorateRequest('walletSession', null);

	app.addHook('onRequest', async (request, reply) => {
		const { config } = request.routeOptions;
		// Before anything of the body is read: a path that leads nowhere says nothing about what was sent there.
		if (request.is404) return answerStray(request, reply);
		if (config.isPublic) return;
		if (config.isBearer) return admitBearer(request, reply, { wallet, limiter });
		// A malformed header is looked up like a wrong key, so that its answer takes as long.
		const credential = findCredential(request);
		const isReadable = !isAccessToken(credential) || (await limiter.mayDecrypt(request.ip));
		const principal = isReadable
			? await identity.authenticate(credential ?? { kind: 'api-key', secret: '' }, request.ip)
			: null;
		if (!principal) {
			// Only a failure is ever limited: a valid credential gets through whatever others at its address do, but for an
			// access token for which there was no turn within a second.
			const isLimited = limiter.noteFailure(request.ip, credential);
			return answerRefusedLogin(reply, isLimited ? limiter.retryAfterSeconds : undefined);
		}
		request.principal = principal;
		if (config.isApiKeyOnly && principal.method !== 'api-key') return answerRefusedLogin(reply);
		if (config.permission) requirePermission(principal, config.permission);
		if (config.isStreamed) request.standing = watchCall(rooms, request, reply);
		// With an idempotency key it is not known yet whether the call is paid for: whoever looks that up charges.
		if (config.isBillable && !isChargedLater(request)) request.charge = await identity.allowance.charge(principal);
	});

	addStanding(app, rooms);

	// Refused cards and 4xx answers cost nothing (shapes §11). Given back before the answer leaves: the caller's next call
	// may need that unit.
	const giveBack = async ({ charge, id }: FastifyRequest) => {
		try {
			await charge?.giveBack();
		} catch (err) {
			logger.error({ requestId: id, err }, 'a unit of the allowance was not given back');
		}
	};
	app.addHook('onSend', (request, reply, payload, done) => {
		if (request.charge === null || !isRefusal(reply.statusCode)) return done(null, payload);
		void giveBack(request).then(() => done(null, payload));
	});
}

/** Anything else in its place is refused without the private key, and needs no turn. */
function isAccessToken(credential: Credential | undefined): boolean {
	return credential?.kind === 'access-token' && ACCESS_TOKEN_SHAPE.test(credential.secret);
}

/** With a 503 nothing was done either. A third party's own status is not looked at: its call has taken the charge. */
function isRefusal(status: number): boolean {
	return (status >= 400 && status < 500) || status === 503;
}
