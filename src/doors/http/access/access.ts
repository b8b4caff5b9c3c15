// Decides who may call what: the definition of every call states what it needs, and the hooks of this file enforce that in
// the order of shapes §11: endpoint, credential, permission, allowance. Parameters and body are checked after that.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/log/log.ts';
import type { Charge } from '../../../people/identity/accounts/allowance.ts';
import { ACCESS_TOKEN_SHAPE } from '../../../people/identity/credentials/access-token.ts';
import type { Credential } from '../../../people/identity/credentials/authenticate.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { type Permission, requirePermission } from '../../../people/identity/permissions.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Wallet } from '../../../work/payments/wallet/wallet.ts';
import { isChargedLater } from '../idempotency/idempotency.ts';
import { answerRefusedLogin } from '../negotiation/answer.ts';
import type { StrayAnswer } from '../server/allowed-methods.ts';
import { admitBearer } from './bearer.ts';
import { findCredential } from './credentials.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { LoginLimiter } from './login-limiter.ts';
import { addStanding, watchCall } from './standing.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/**
		 * True if the route needs no credential, for example the download of the service certificate, or a page with
		 * its files (shapes §11).
		 */
		readonly isPublic?: boolean;
	}
	interface FastifyRequest {
		/** The authenticated caller, which is set on every route that is not public. */
		principal: Principal;
		charge: Charge | null;
	}
}

interface AccessOptions {
	readonly wallet: Pick<Wallet, 'authenticate'>;
	readonly crossOrigin: CrossOrigin;
	readonly answerStray: StrayAnswer;
}

export function addAccess(
	app: FastifyInstance,
	parts: { identity: Identity; audit: Audit; logger: Logger; loginLimiter: LoginLimiter },
	{ wallet, crossOrigin, answerStray }: AccessOptions,
): void {
	const { identity, loginLimiter: limiter, logger } = parts;
	app.decorateRequest('principal', null as never);
	app.decorateRequest('charge', null);
	app.decorateRequest('walletSession', null);

	app.addHook('onRequest', async (request, reply) => {
		const { isPublic, isStreamed, call } = request.routeOptions.config;
		// A request that matches no route is answered before its body is read, so that the answer to an unknown path
		// reveals nothing about what was sent there.
		if (request.is404) return answerStray(request, reply);
		if (isPublic) return;
		const { credential: expected, permission, anyPermission, isBillable } = call?.needs ?? {};
		if (expected === 'wallet-session') return admitBearer(request, reply, { wallet, limiter, crossOrigin });
		// A missing or malformed credential is looked up like a wrong key, so that refusing it takes as long.
		const credential = findCredential(request);
		const isReadable = !isAccessToken(credential) || (await limiter.mayDecrypt(request.ip));
		const principal = isReadable
			? await identity.authenticate(credential ?? { kind: 'api-key', secret: '' }, request.ip)
			: null;
		if (!principal) {
			// Only failed logins are limited. A valid credential is accepted no matter how often others at its address fail.
			// The exception is an access token from an address with too many failed logins: it is refused if its turn to be
			// decrypted does not come within a second, because for all these addresses together only a hundred tokens a
			// second are decrypted.
			const isLimited = limiter.noteFailure(request.ip, credential);
			return answerRefusedLogin(reply, isLimited ? limiter.retryAfterSeconds : undefined);
		}
		request.principal = { ...principal, requestId: request.id };
		if (expected === 'api-key' && principal.method !== 'api-key') return answerRefusedLogin(reply);
		if (permission) requirePermission(principal, permission);
		if (anyPermission) requireAny(principal, anyPermission);
		if (isStreamed) request.standing = watchCall(parts, request, reply);
		// An earlier call with the same idempotency key may have been charged already. So for a call with such a key,
		// the unit of the allowance is taken later, by the code that looks up the key.
		if (isBillable && !isChargedLater(request)) request.charge = await identity.allowance.charge(principal);
	});

	addStanding(app, parts);

	// Refused cards and 4xx answers cost nothing (shapes §11). The unit of the allowance is given back before the answer
	// is sent, because the caller's next call may need it.
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

/**
 * Requires one of several permissions. If the caller has none of them, the error names the first.
 * @throws ServiceError `permission-denied`
 */
function requireAny(principal: Principal, permissions: readonly Permission[]): void {
	if (!permissions.some((name) => principal.permissions.has(name))) requirePermission(principal, permissions[0]);
}

/** Only an access token needs a turn for decryption; any other text is refused without using the private key. */
function isAccessToken(credential: Credential | undefined): boolean {
	return credential?.kind === 'access-token' && ACCESS_TOKEN_SHAPE.test(credential.secret);
}

/**
 * Tells whether the service refused the call. A 503 is a refusal as well, because nothing was done then. A status with
 * which a third party answered gives no unit back, because `charge` is null once a third party was called.
 */
function isRefusal(status: number): boolean {
	return (status >= 400 && status < 500) || status === 503;
}
