import { Failed, gather } from '../../../base/database/gather.ts';
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
 * second than the database can commit changes of one row.
 */
export function openUnitTaker(store: Pick<ReturnType<typeof allowanceStore>, 'take'>): UnitTaker {
	/** Takes the units of calls of one account. */
	const takeFor = async (calls: readonly Call[], results: Map<Call, boolean | Failed>): Promise<void> => {
		try {
			const total = calls.reduce((sum, { units }) => sum + units, 0);
			const areAllTaken = await store.take(calls[0].payer, total);
			for (const call of calls) {
				// If there are not enough units for all calls together, the units of each call are taken separately, in the
				// order of arrival.
				const isTaken = areAllTaken || (calls.length > 1 && (await store.take(call.payer, call.units)));
				results.set(call, isTaken);
			}
		} catch (error) {
			for (const call of calls) if (!results.has(call)) results.set(call, new Failed(error));
		}
	};
	const take = gather<Call, boolean>({
		async doAll(calls) {
			const results = new Map<Call, boolean | Failed>();
			const accounts = Map.groupBy(calls, ({ payer: { ownerId, accountId } }) => `${ownerId}/${accountId}`);
			await Promise.all(Array.from(accounts.values(), (ofAccount) => takeFor(ofAccount, results)));
			return calls.map((call) => results.get(call)!);
		},
	});
	return (payer, units) => take({ payer, units });
}
