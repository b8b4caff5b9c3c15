import type { allowanceStore, Payer } from './allowance-store.ts';

/** This function takes units, and returns whether that many were left. */
export type UnitTaker = (payer: Payer, units: number) => Promise<boolean>;

interface Waiting {
	readonly units: number;
	resolve(isTaken: boolean): void;
	reject(error: unknown): void;
}

/**
 * Returns a function that takes units for calls. Calls of one account that arrive while the row of that account is
 * being written share the next write. If each call wrote the row by itself, a busy account could make no more calls a
 * second than the database can commit changes of one row.
 */
export function openUnitTaker(store: Pick<ReturnType<typeof allowanceStore>, 'take'>): UnitTaker {
	const queues = new Map<string, Waiting[]>();

	const drain = async (name: string, payer: Payer, queue: Waiting[]) => {
		while (queue.length > 0) {
			const batch = queue.splice(0);
			try {
				const total = batch.reduce((sum, { units }) => sum + units, 0);
				const areAllTaken = await store.take(payer, total);
				for (const each of batch) {
					// If there are not enough units for all calls together, the units of each call are taken
					// separately, in the order of arrival.
					each.resolve(areAllTaken || (batch.length > 1 && (await store.take(payer, each.units))));
				}
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		queues.delete(name);
	};

	return (payer, units) => {
		const name = `${payer.ownerId}/${payer.accountId}`;
		const { promise, resolve, reject } = Promise.withResolvers<boolean>();
		const queue = queues.get(name);
		if (queue) {
			queue.push({ units, resolve, reject });
		} else {
			const started = [{ units, resolve, reject }];
			queues.set(name, started);
			void drain(name, payer, started);
		}
		return promise;
	};
}
