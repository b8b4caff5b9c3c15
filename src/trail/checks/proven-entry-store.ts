import type { Knex } from 'knex';
import { queryRows } from '../../base/database/sql.ts';
import type { AuditRow } from '../audit-store.ts';

type RowWithBefore = AuditRow & { readonly hash_before: string | null };

// Entries after the end of their lane are not part of the trail, so they are left out.
const SELECT = `select a.*, b.hash as hash_before from audit a left join audit b on b.seq = (
		select max(seq) from audit where seq < a.seq and coalesce(lane, 0) = coalesce(a.lane, 0))
	where a.seq <= (select seq from audit_head where id = coalesce(a.lane, 0) + 1)`;

/**
 * Each method is a single statement over the trail. The conditions are written exactly as in the partial indexes, so
 * that the database can use these.
 */
export function provenEntryStore(knex: Knex) {
	return {
		async listOfOperators(): Promise<RowWithBefore[]> {
			return queryRows(
				knex,
				`${SELECT} and a.action in ('operator.add', 'operator.remove', 'operator.recover') order by a.seq`,
			);
		},
		async listOfApproval(subject: string): Promise<RowWithBefore[]> {
			return queryRows(
				knex,
				`${SELECT} and a.action in ('approval.request', 'approval.give', 'approval.use') and a.subject = ? order by a.seq`,
				[subject],
			);
		},
	};
}
