/** The properties of a call on which the rule of `takesKey` depends. */
export interface KeyedCall {
	/** Whether the call needs no credential. */
	readonly isPublic?: boolean;
	/** Whether the call reads its body while it works, instead of before. */
	readonly isStreamed?: boolean;
	/** What the definition of the call says; if it says nothing, the method and the body decide. */
	readonly isIdempotent?: boolean | 'refused';
}

const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns whether a call honours the header `Idempotency-Key`. Unless its definition says otherwise, it does if its method
 * changes something and its body is read before it works, because the answer depends on the whole body.
 */
export function takesKey({ isPublic, isStreamed, isIdempotent }: KeyedCall, method: string): boolean {
	if (isPublic) return false;
	return isIdempotent === undefined ? CHANGES.has(method) && !isStreamed : isIdempotent === true;
}
