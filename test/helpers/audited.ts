import type { HttpApp } from './http-app.ts';
import { until } from './until.ts';

/**
 * Waits until the trail has entries for an action and returns their details. The wait is needed because the entry about
 * a broken call is written after its caller has gone.
 */
export async function audited(parts: HttpApp, action: string): Promise<Record<string, unknown>[]> {
	return until(`an entry ${action}`, async () => {
		const rows = await parts.database.knex('audit').where({ action });
		return rows.length > 0 && rows.map(({ details }) => JSON.parse(details));
	});
}
