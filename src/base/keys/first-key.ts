import { isUniqueViolation } from '../database/dialect.ts';
import type { EnvironmentKeys } from './environment-keys.ts';
import { ENVIRONMENT, type keyStore } from './key-store.ts';

/** Opens the environment key, and creates the first one if there is none. If two processes create one at once, one is stored. */
export async function openFirst(store: ReturnType<typeof keyStore>, keys: EnvironmentKeys, at: number): Promise<void> {
	if (!(await store.findLatest(ENVIRONMENT, 0))) {
		const { wrapped } = await keys.make();
		const named = { purpose: ENVIRONMENT, account_id: 0, generation: 1 };
		try {
			await store.insert({ ...named, wrapped_by: null, wrapped, state: 'active', created_at: at });
		} catch (error) {
			if (!isUniqueViolation(error)) throw error;
		}
	}
	await keys.open(await keys.latest());
}
