// Lets pages of registered origins make the session calls of the payments library from a browser (CORS). An answer
// names only the origin that made the call, never `*`, and no answer allows cookies.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountId } from '../../../base/database/ids.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { Origins } from '../../../people/identity/accounts/origins.ts';
import { type Call, methodsOf } from '../calls/call.ts';

/** Pages may send the headers of `SENT`, and read those of `READABLE`, beside those that browsers always allow. */
const SENT = 'accept, authorization, content-type, idempotency-key';
const READABLE = 'retry-after, x-request-id, x-service-warnings';
/** Browsers may remember a preflight for so many seconds. If its origin is removed then, the call refuses it. */
const REMEMBERED_SECONDS = 600;

export type CrossOrigin = ReturnType<typeof openCrossOrigin>;

export function openCrossOrigin(origins: Pick<Origins, 'allows' | 'allowsSome'>) {
	const open = (reply: FastifyReply, origin: string) =>
		reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE);
	return {
		/** Lets a page read the answer if any account has registered its origin, for calls of an unknown account. */
		async tell(request: FastifyRequest, reply: FastifyReply): Promise<void> {
			const origin = foreignOrigin(request, reply);
			if (origin !== undefined && (await origins.allowsSome(origin))) open(reply, origin);
		},
		/**
		 * Lets a page read the answer to a call for this account.
		 * @throws ServiceError if the page is from another origin that the account has not registered
		 */
		async admit(request: FastifyRequest, reply: FastifyReply, accountId: AccountId): Promise<void> {
			const origin = foreignOrigin(request, reply);
			if (origin === undefined) return;
			const isAllowed = await origins.allows(accountId, origin);
			if (isAllowed || (await origins.allowsSome(origin))) open(reply, origin);
			// The call is refused, and not only its answer withheld, because a page that cannot read the answer would believe
			// that nothing was paid.
			if (!isAllowed) throw new ServiceError('origin-not-registered', { moreInfo: NOT_REGISTERED });
		},
	};
}

const NOT_REGISTERED = 'The account has not registered the origin of this page';

/** Answers the preflights of all calls that pages make. They carry no credential, so the account is not known yet. */
export function addPreflights(app: FastifyInstance, calls: readonly Call[], crossOrigin: CrossOrigin): void {
	const paths = Map.groupBy(
		calls.filter(({ needs }) => needs.credential === 'wallet-session'),
		({ path }) => path,
	);
	for (const [path, at] of paths) {
		const allowed = ['OPTIONS', ...new Set(at.flatMap(methodsOf))].sort().join(', ');
		app.options(path, { config: { isPublic: true }, schema: { hide: true } }, async (request, reply) => {
			await crossOrigin.tell(request, reply);
			if (reply.hasHeader('access-control-allow-origin')) {
				reply.header('access-control-allow-methods', allowed).header('access-control-allow-headers', SENT);
				reply.header('access-control-max-age', REMEMBERED_SECONDS);
			}
			return reply.code(204).header('allow', allowed).send();
		});
	}
}

/**
 * Returns the origin of the page that makes a call, or undefined if the call is not from a page of another origin.
 * Every answer depends on the origin, so a `Vary` header tells caches about it.
 */
function foreignOrigin({ headers, host }: FastifyRequest, reply: FastifyReply): string | undefined {
	reply.header('vary', 'origin');
	const { origin } = headers;
	return origin === undefined || isOwn(origin, host) ? undefined : origin;
}

/**
 * Tells whether an origin is that of our own pages: its host is the one under which the browser reached the service,
 * which is not always the host of the public URL.
 */
function isOwn(origin: string, host: string): boolean {
	return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
