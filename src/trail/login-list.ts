import type { Knex } from 'knex';
import { auditStore } from './audit-store.ts';
import type { AuditDetails } from './entry.ts';

const ACTIONS = ['sftp.login', 'login.failed'];

/** Lists the logins of an account, the latest first. */
export async function listLogins(knex: Knex, userId: string, limit: number) {
	const rows = await auditStore(knex).listAbout(`account ${userId}`, ACTIONS, limit);
	return rows.map(({ at, action, details: text }) => {
		const details = JSON.parse(text) as AuditDetails;
		const find = (name: string) => (details[name] === undefined ? null : (details[name] as string | null));
		return {
			at: new Date(at).toISOString(),
			outcome: action === 'sftp.login' ? 'logged in' : (find('reason') ?? 'failed'),
			door: find('door') ?? 'sftp',
			address: find('address') ?? '',
			method: find('method'),
			credential: find('credential'),
			count: Number(details.count ?? 1),
		};
	});
}
