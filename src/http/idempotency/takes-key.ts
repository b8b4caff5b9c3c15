/** The properties of a call on which the rule of `takesKey` depends. */
export interface KeyedCall {
	/** True if the call needs no credential. */
	readonly isPublic?: boolean;
	/** True if the call processes its body while the body arrives. */
	readonly isStreamed?: boolean;
	/** The value in the definition of the call; if it is absent, the method and the body decide. */
	readonly isIdempotent?: boolean | 'refused';
}

const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns whether a call honours the header `Idempotency-Key`. Unless its definition says otherwise, it does if its
 * method changes something and its whole body is read before it is processed, because the answer depends on the whole
 * body.
 */
export function takesKey({ isPublic, isStreamed, isIdempotent }: KeyedCall, method: string): boolean {
	if (isPublic) return false;
	return isIdempotent === undefined ? CHANGES.has(method) && !isStreamed : isIdempotent === true;
}
