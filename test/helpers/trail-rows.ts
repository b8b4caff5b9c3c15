import { join } from 'node:path';
import { openDatabase } from '../../src/base/database/open.ts';

export interface TrailRow {
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	readonly details: string;
}

/** Returns the entries of an installation's audit trail whose action matches, oldest first. */
export async function trailOf(dataDir: string, action: RegExp): Promise<TrailRow[]> {
	const database = await openDatabase({ url: `sqlite:${join(dataDir, 'tokendrop.sqlite')}` });
	try {
		const rows: TrailRow[] = await database.knex('audit').orderBy('seq');
		return rows.filter((row) => action.test(row.action));
	} finally {
		await database.close();
	}
}
