import type { allowanceStore, Payer } from './allowance-store.ts';

/** This function takes units, and returns whether that many were left. */
export type UnitTaker = (payer: Payer, units: number) => Promise<boolean>;

interface Waiting {
	readonly units: number;
	resolve(isTaken: boolean): void;
	reject(error: unknown): void;
}

/**
 * Returns a function with which calls of one account that arrive while its row is being written share the next write.
 * Otherwise a busy account could make only as many calls a second as commits of its one row are possible.
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
					// There are not enough units for all calls together, so the units of each call are taken separately, in
					// the order of arrival.
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
