import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { queueStore } from './queue-store.ts';

/** Returns for how many seconds the most overdue job in the queue has been due; 0 if no job is due. */
export async function queueAge({ knex, dialect }: Pick<Database, 'knex' | 'dialect'>, clock: Clock): Promise<number> {
	const due = await queueStore(knex, dialect).findNextRunAt();
	return due === undefined ? 0 : Math.max(0, (clock.now().getTime() - due) / 1000);
}
