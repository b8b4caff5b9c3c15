import type { Knex } from 'knex';
import type { TrailBreak } from './verify-trail.ts';

export interface TrailCheck {
	readonly at: number;
	readonly entries: number;
	/** The entry at which the trail is broken; null for a whole one. */
	readonly broken_at: number | null;
	/** `unlike-notes`: its entries fit each other, but not what was noted of them. An earlier version had other texts. */
	readonly reason: TrailBreak | 'unlike-notes' | null;
}

/** Each method is a single statement over the last verification. */
export function checkStore(knex: Knex) {
	return {
		async find(): Promise<TrailCheck | undefined> {
			return knex('audit_checks').where({ id: 1 }).first();
		},
		async put(check: TrailCheck): Promise<void> {
			await knex('audit_checks')
				.insert({ id: 1, ...check })
				.onConflict('id')
				.merge();
		},
	};
}
