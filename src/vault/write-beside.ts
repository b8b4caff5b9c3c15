// Writes the rows that requests need in the transaction that stores their cards (`alongside` and `together`). Many
// cards share a transaction, so the error names the request that is refused.

import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { Stored } from './group-commit.ts';
import type { RecordRequest, StoreResult, WrittenTogether } from './new-card.ts';

/** This error undoes a transaction because of one of its requests; its cause is for the caller of that request. */
export class RefusedBesideError extends Error {
	override readonly name = 'RefusedBesideError';
	readonly request: RecordRequest;

	constructor(request: RecordRequest, cause: unknown) {
		super('what a request writes beside its card was refused', { cause });
		this.request = request;
	}

	/** Returns the error to report to the caller of the request. */
	static causeOf(error: unknown): unknown {
		return error instanceof RefusedBesideError ? error.cause : error;
	}
}

/**
 * Writes the further rows of the requests whose cards were stored: first each request's `alongside` in order, and then
 * the rows of `together`, for all requests with the same `write` at once.
 * @throws RefusedBesideError
 */
export async function writeBeside(stored: readonly Stored[], transaction: PlainTransaction): Promise<void> {
	const groups = new Map<WrittenTogether['write'], Map<string, StoreResult>>();
	for (const { request, result } of stored) {
		try {
			await request.alongside?.(result, transaction);
		} catch (cause) {
			throw new RefusedBesideError(request, cause);
		}
		const { together } = request;
		if (!together) continue;
		const group = groups.get(together.write);
		if (group?.has(together.name)) throw new RefusedBesideError(request, together.refusal());
		if (group) group.set(together.name, result);
		else groups.set(together.write, new Map([[together.name, result]]));
	}
	for (const [write, group] of groups) {
		const refused = await write(group, transaction);
		if (refused.size === 0) continue;
		const isRefused = ({ together }: RecordRequest) => together?.write === write && refused.has(together.name);
		const { request } = stored.find((each) => isRefused(each.request))!;
		throw new RefusedBesideError(request, request.together!.refusal());
	}
}
