// Writes the further rows that requests need (`alongside` and `together`) in the transaction that stores their cards.
// Many cards share a transaction, so an error says which request was refused.

import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { Stored } from './group-commit.ts';
import type { RecordRequest, StoreResult, WrittenTogether } from './new-card.ts';

/**
 * This error undoes a whole transaction because one of its requests was refused. The caller of that request gets the
 * cause of the error.
 */
export class RefusedBesideError extends Error {
	override readonly name = 'RefusedBesideError';
	readonly request: RecordRequest;

	constructor(request: RecordRequest, cause: unknown) {
		super('what a request writes beside its card was refused', { cause });
		this.request = request;
	}

	/** Returns the error that the caller of the refused request gets. */
	static causeOf(error: unknown): unknown {
		return error instanceof RefusedBesideError ? error.cause : error;
	}
}

/**
 * Writes the further rows of the requests whose cards were stored. First the `alongside` of each request runs, in
 * order. Then `together` is written, by one call for all requests that name the same function `write`.
 * @throws RefusedBesideError if a request is refused
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
