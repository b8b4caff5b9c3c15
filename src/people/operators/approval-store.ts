import type { Knex } from 'knex';
import type { Role } from './roles.ts';

export interface ApprovalRow {
	readonly id: string;
	readonly requested_by: string;
	readonly command: string;
	readonly role: Role;
	readonly hash: string;
	readonly requested_at: number;
	readonly approved_by: string | null;
	readonly approved_at: number | null;
	readonly used_at: number | null;
}

export function approvalStore(knex: Knex) {
	return {
		async insert(row: Omit<ApprovalRow, 'approved_by' | 'approved_at' | 'used_at'>): Promise<void> {
			await knex('approvals').insert(row);
		},
		async find(id: string): Promise<ApprovalRow | undefined> {
			return knex<ApprovalRow>('approvals').where({ id }).first();
		},
		/** Lists the approvals that were requested or given after the time `at` and have not been used, oldest first. */
		async listSince(at: number): Promise<ApprovalRow[]> {
			return knex<ApprovalRow>('approvals')
				.whereNull('used_at')
				.andWhere((either) => either.where('requested_at', '>', at).orWhere('approved_at', '>', at))
				.orderBy('requested_at');
		},
		/**
		 * Lists the approvals of one command, named by its hash, that this person requested, that were given after the time
		 * `at`, and that have not been used.
		 */
		async listUsable(requestedBy: string, hash: string, at: number): Promise<ApprovalRow[]> {
			return knex<ApprovalRow>('approvals')
				.where({ requested_by: requestedBy, hash })
				.whereNull('used_at')
				.andWhere('approved_at', '>', at)
				.orderBy('approved_at');
		},
		/** Records that a request was approved. Returns false if the request was no longer waiting for approval. */
		async approve(id: string, by: string, at: number): Promise<boolean> {
			const waiting = knex('approvals').where({ id }).whereNull('approved_at').whereNull('used_at');
			return (await waiting.update({ approved_by: by, approved_at: at })) > 0;
		},
		/**
		 * Records that an approval was used. Returns false if it had already been used; of two callers at the same time,
		 * only one gets true.
		 */
		async use(id: string, at: number): Promise<boolean> {
			const given = knex('approvals').where({ id }).whereNotNull('approved_at').whereNull('used_at');
			return (await given.update({ used_at: at })) > 0;
		},
	};
}
