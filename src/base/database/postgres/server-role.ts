// What a server of PostgreSQL is among others that hold the same data.

import { type Connection, runOn } from '../sql.ts';

export interface ServerRole {
	readonly role: 'primary' | 'standby';
	/**
	 * Whether commits wait for a standby and none is connected, so that they wait for ever. This happens when a standby takes
	 * the place of its primary and the settings that it has taken over ask for a standby of its own.
	 */
	readonly lacksStandby: boolean;
}

/** Asks the server of a connection what it is. */
export async function readRole(connection: Connection): Promise<ServerRole> {
	const { rows } = await runOn(
		connection,
		`select pg_is_in_recovery() as "isStandby", not pg_is_in_recovery() and
			current_setting('synchronous_standby_names') <> '' and not exists (select 1 from pg_stat_replication)
			as "lacksStandby"`,
	);
	const [{ isStandby, lacksStandby }] = rows as { isStandby: boolean; lacksStandby: boolean }[];
	return { role: isStandby ? 'standby' : 'primary', lacksStandby };
}

/** Says in a few words which server is used and what it is. */
export function describeServer({ host, role, lacksStandby }: ServerRole & { readonly host: string }): string {
	const waits = lacksStandby ? ', whose commits wait for a standby although none is connected' : '';
	return `${role} ${host}${waits}`;
}
