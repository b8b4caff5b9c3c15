import { Failed, gatherByKey } from '../../../base/database/gather.ts';
import type { allowanceStore, Payer } from './allowance-store.ts';

/** This function takes units, and returns whether that many were left. */
export type UnitTaker = (payer: Payer, units: number) => Promise<boolean>;

interface Call {
	readonly payer: Payer;
	readonly units: number;
}

/**
 * Returns a function that takes units for calls. Calls of one account that arrive while the row of that account is
 * being written share the next write. If each call wrote the row by itself, a busy account could make no more calls a
 * second than the database can commit changes of one row. No call waits for the row of another account.
 */
export function openUnitTaker(store: Pick<ReturnType<typeof allowanceStore>, 'take'>): UnitTaker {
	const take = gatherByKey<Call, boolean>(({ payer: { ownerId, accountId } }) => `${ownerId}/${accountId}`, {
		async doAll(calls) {
			const total = calls.reduce((sum, { units }) => sum + units, 0);
			if (await store.take(calls[0].payer, total)) return calls.map(() => true);
			if (calls.length === 1) return [false];
			// There are not enough units for all calls together, so the units of each call are taken separately, in the order
			// of arrival.
			const taken: (boolean | Failed)[] = [];
			for (const { payer, units } of calls)
				taken.push(await store.take(payer, units).catch((error: unknown) => new Failed(error)));
			return taken;
		},
	});
	return (payer, units) => take({ payer, units });
}
