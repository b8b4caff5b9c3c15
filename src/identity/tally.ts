import type { AccountId } from '../database/ids.ts';
import type { allowanceStore } from './allowance-store.ts';

/** How far what is shown as used may lag behind. */
const WRITE_AFTER_MS = 500;

/**
 * Counts units of accounts without a limit, written together a moment later: nothing is decided by them, and a commit
 * for every call would halve what a daemon can store. A daemon that is killed forgets those of the last moment.
 */
export function openTally(store: Pick<ReturnType<typeof allowanceStore>, 'add'>) {
	let units = new Map<AccountId, number>();
	let isWaiting = false;

	const write = async () => {
		isWaiting = false;
		const counted = units;
		units = new Map();
		for (const [ownerId, count] of counted) {
			// Not worth a failed call: what cannot be written now is counted again.
			await store.add(ownerId, count).catch(() => tally(ownerId, count));
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
