import { jsonText } from '../dialect.ts';
import type { Migration } from './migration.ts';

export const trailQuestions: Migration = {
	name: '0018-trail-questions.expand',
	async up(knex, dialect) {
		await knex.schema.alterTable('audit', (table) => {
			// The primary account that the entry is about, and the primary account of the caller. Both are null if there is
			// none, as for entries of operators about the installation. The hash of an entry covers them where they are not null;
			// no version without them was released, which would take such entries for altered.
			table.bigInteger('account_id').nullable();
			table.bigInteger('by_account_id').nullable();
		});
		// These indexes answer questions about the trail, the latest entries first. They are made of the entries themselves,
		// so there is no row beside an entry that somebody could remove to hide it.
		const detail = (name: string) => jsonText(dialect, 'details', name);
		const named = `coalesce(${detail('name')}, ${detail('fileName')}, ${detail('profile')})`;
		await knex.raw('create index audit_by_subject on audit (subject, seq)');
		await knex.raw('create index audit_by_actor on audit (actor, seq)');
		await knex.raw('create index audit_by_action on audit (action, seq)');
		await knex.raw('create index audit_by_account on audit (account_id, seq) where account_id is not null');
		await knex.raw('create index audit_by_other on audit (by_account_id, seq) where by_account_id <> account_id');
		for (const [index, expression] of [
			['audit_by_credential', detail('credential')],
			['audit_by_request', detail('requestId')],
			['audit_by_destination', detail('destination')],
			['audit_by_name', named],
		]) {
			await knex.raw(`create index ${index} on audit ((${expression}), seq) where ${expression} is not null`);
		}
	},
};
