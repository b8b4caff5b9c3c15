// Who may call what: every route says so in its config, and these hooks hold it, in the order of shapes §11: endpoint,
// credential, permission, allowance; parameters and body come after.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import type { Charge } from '../identity/allowance.ts';
import { type Permission, requirePermission } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import { findCredential } from './credentials.ts';
import type { HttpRooms } from './rooms.ts';

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
export function addAccess(app: FastifyInstance, { identity, defender }: HttpRooms): void {
	app.decorateRequest('principal', null as never);
	app.decorateRequest('charge', null);

	app.addHook('onRequest', async (request, reply) => {
		const { config } = request.routeOptions;
		if (request.is404 || config.isPublic) return;
		const principal = await authenticate(request, identity);
		if (!principal || (config.isApiKeyOnly && principal.method !== 'api-key')) {
			defender.report(request.ip, 'login-failed');
			return refuse(request, reply, defender);
		}
		request.principal = principal;
		if (config.permission) requirePermission(principal, config.permission);
		if (config.isBillable) request.charge = await identity.allowance.charge(principal);
	});
	// Refused cards and 4xx answers cost nothing (shapes §11).
	app.addHook('onResponse', async (request, reply) => {
		if (reply.statusCode >= 400 && reply.statusCode < 500) await request.charge?.giveBack();
	});
}

async function authenticate(request: FastifyRequest, identity: HttpRooms['identity']): Promise<Principal | null> {
	// A malformed header is looked up like a wrong key, so that its answer takes as long.
	return identity.authenticate(findCredential(request) ?? { kind: 'api-key', secret: '' });
}

/** The one empty 401 (spec §5.4); an address that keeps failing gets an empty 429, and never with a valid credential. */
function refuse(request: FastifyRequest, reply: FastifyReply, defender: HttpRooms['defender']) {
	if (!defender.isBanned(request.ip)) throw new ServiceError('authentication-failed');
	return reply.code(429).header('retry-after', '600').send();
}
