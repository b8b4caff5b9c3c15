import type { apiKeyStore } from './api-key-store.ts';

/**
 * The last use of a key is written at most this often, because a write for every call would cost as much as the call.
 */
export const LAST_USE_EVERY_MS = 5 * 60_000;
const MAX_NOTED = 10_000;

/**
 * Returns a function that notes that a key was used, at most every five minutes for each key and daemon. It never
 * fails, because a login must not depend on it.
 */
export function openLastUse(store: Pick<ReturnType<typeof apiKeyStore>, 'noteUse'>, now: () => number) {
	const noted = new Map<number, number>();
	return async (row: { readonly api_key_id: number; readonly last_used_at: number | null }): Promise<void> => {
		const nowMs = now();
		const last = Math.max(row.last_used_at ?? 0, noted.get(row.api_key_id) ?? 0);
		if (nowMs - last < LAST_USE_EVERY_MS) return;
		if (noted.size === MAX_NOTED) noted.clear();
		noted.set(row.api_key_id, nowMs);
		await store.noteUse(row.api_key_id, nowMs).catch(() => {});
	};
}
