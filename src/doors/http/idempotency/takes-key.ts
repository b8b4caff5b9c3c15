/** The properties of a call on which the rule of `takesKey` depends. */
export interface KeyedCall {
	readonly isPublic?: boolean;
	/** True if the call processes its body while the body arrives. */
	readonly isStreamed?: boolean;
	/** What the definition of the call says about idempotency keys. Without it, method and `isStreamed` decide. */
	readonly isIdempotent?: boolean | 'refused';
}

const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns whether a call honours the header `Idempotency-Key`. Unless its definition says otherwise, a call does if its
 * method changes something and it reads its whole body before it processes it, because the hash of the whole body shows
 * whether two calls are the same.
 */
export function takesKey({ isPublic, isStreamed, isIdempotent }: KeyedCall, method: string): boolean {
	if (isPublic) return false;
	return isIdempotent === undefined ? CHANGES.has(method) && !isStreamed : isIdempotent === true;
}
