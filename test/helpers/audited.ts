import type { HttpTestRooms } from './http-rooms.ts';
import { until } from './until.ts';

/** Details of the entries for an action, once there is one: what a broken call did is written after its caller has gone. */
export async function audited(rooms: HttpTestRooms, action: string): Promise<Record<string, unknown>[]> {
	return until(`an entry ${action}`, async () => {
		const rows = await rooms.database.knex('audit').where({ action });
		return rows.length > 0 && rows.map(({ details }) => JSON.parse(details));
	});
}
