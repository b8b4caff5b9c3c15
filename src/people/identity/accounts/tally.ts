import type { AccountId } from '../../../base/database/ids.ts';
import type { allowanceStore } from './allowance-store.ts';

/**
 * Counted units are written to the database after this time, so the number of used units that is displayed may be this
 * old.
 */
const WRITE_AFTER_MS = 500;

/**
 * Counts units of accounts without a limit and writes them together a moment later. No call depends on these units, and
 * a commit for every call would halve the speed of storing. A daemon that is killed loses the units that it has not
 * written yet, and a power failure those that are not on the disk yet.
 */
export function openTally(store: Pick<ReturnType<typeof allowanceStore>, 'add'>) {
	let units = new Map<AccountId, number>();
	let isWaiting = false;

	const write = async () => {
		isWaiting = false;
		const counted = units;
		units = new Map();
		for (const [ownerId, count] of counted) {
			// A failed write must not fail a call, so the units wait for the next write.
			await store.add(ownerId, count, 'unsynced').catch(() => tally(ownerId, count));
		}
	};
	const tally = (ownerId: AccountId, count: number): void => {
		units.set(ownerId, (units.get(ownerId) ?? 0) + count);
		if (isWaiting) return;
		isWaiting = true;
		setTimeout(() => void write(), WRITE_AFTER_MS).unref();
	};
	return tally;
}
