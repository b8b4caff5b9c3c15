import type { FastifyContextConfig } from 'fastify';

const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns whether a call honours the header `Idempotency-Key`. Unless its definition says otherwise, a call does if its
 * method changes something and it reads its whole body before it processes it, because the hash of the whole body shows
 * whether two calls are the same.
 */
export function takesKey({ isPublic, isStreamed, call }: FastifyContextConfig, method: string): boolean {
	if (isPublic) return false;
	const isIdempotent = call?.isIdempotent;
	return isIdempotent === undefined ? CHANGES.has(method) && !isStreamed : isIdempotent === true;
}
