import type { Knex } from 'knex';
import { auditStore } from './audit-store.ts';
import type { AuditDetails } from './entry.ts';

export interface ListedLogin {
	readonly at: string;
	/** The outcome: `logged in`, or the reason of a refusal. */
	readonly outcome: string;
	readonly door: string;
	readonly address: string;
	readonly method: string | null;
	readonly credential: string | null;
	/** The number of logins; more than one if failures were only counted. */
	readonly count: number;
}

const ACTIONS = ['sftp.login', 'login.failed'];

/** Lists the logins of an account, the latest first. */
export async function listLogins(knex: Knex, userId: string, limit: number): Promise<ListedLogin[]> {
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
