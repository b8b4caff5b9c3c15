import type { Knex } from 'knex';

/** Describes how much of the trail was sent to one target. */
export interface ForwardRow {
	readonly seq: number;
	/** The daemon that is sending, and the time until which no other daemon may send. */
	readonly leased_by: string | null;
	readonly leased_until: number;
}

export function forwardStore(knex: Knex, address: string) {
	const row = () => knex<ForwardRow & { address: string }>('audit_forwards').where({ address });
	return {
		async ensure(): Promise<void> {
			const fresh = { address, seq: 0, leased_by: null, leased_until: 0 };
			await knex('audit_forwards').insert(fresh).onConflict('address').ignore();
		},
		async find(): Promise<ForwardRow | undefined> {
			return row().first();
		},
		/** Takes the turn to send; returns false while another daemon has it. */
		async lease(daemon: string, now: number, until: number): Promise<boolean> {
			const taken = await row()
				.andWhere((free) => free.where('leased_until', '<', now).orWhere('leased_by', daemon))
				.update({ leased_by: daemon, leased_until: until });
			return taken === 1;
		},
		/** Records which entries were received, and ends the turn. It does nothing if another daemon has taken the turn. */
		async settle(daemon: string, seq: number): Promise<void> {
			await row().andWhere({ leased_by: daemon }).update({ seq, leased_by: null, leased_until: 0 });
		},
	};
}
