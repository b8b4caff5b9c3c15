import type { Migration } from './migration.ts';

/**
 * Stores the outcome of a call, which is needed if the same call is made again, as a kind and an id. Before, it was one
 * text with a prefix.
 */
export const callOutcomes: Migration = {
	name: '0020-call-outcomes',
	async up(knex) {
		await knex.schema.alterTable('idempotency_keys', (table) => {
			// The kind: token, earlier-token, job, stream, batch, request or sent; null until the call has created or sent
			// anything.
			table.string('outcome_kind', 16).nullable();
			// The id of the token, job, pass or request; null for the kind `sent`.
			table.string('outcome_id', 64).nullable();
		});
		for (const [like, kind, prefix] of PREFIXES) {
			await knex('idempotency_keys')
				.where('made', 'like', like)
				.update({ outcome_kind: kind, outcome_id: knex.raw(`substr(made, ${prefix.length + 1})`) });
		}
		await knex('idempotency_keys').where({ made: 'sent' }).update({ outcome_kind: 'sent' });
		const rest = () => knex('idempotency_keys').whereNotNull('made').whereNull('outcome_kind');
		await rest()
			.whereRaw('length(made) = 32')
			.update({ outcome_kind: 'token', outcome_id: knex.ref('made') });
		await rest().update({ outcome_kind: 'job', outcome_id: knex.ref('made') });
		await knex.raw('alter table idempotency_keys drop column made');
	},
};

const PREFIXES = [
	['had %', 'earlier-token', 'had '],
	['stream %', 'stream', 'stream '],
	['batch %', 'batch', 'batch '],
	['X-Request-Id %', 'request', 'X-Request-Id '],
] as const;
