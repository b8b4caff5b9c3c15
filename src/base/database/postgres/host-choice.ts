// Chooses the host of PostgreSQL to which connections are made: the one that takes writes. After a failover that is
// another one.

import type { Knex } from 'knex';
import knexModule from 'knex';
import pg from 'pg';
import { type PostgresHost, readPostgresUrl } from '../../settings/postgres-url.ts';
import { isUnavailable } from '../dialect.ts';
import { type Connection, runOn } from '../sql.ts';
import { HostConnection } from './host-connection.ts';

/** A host that has not answered within this time is passed over, if there are others. */
const CONNECT_MS = 2_000;

/** This error is thrown if a host answers but takes no writes. */
class StandbyError extends Error {
	override readonly name = 'StandbyError';
	/** PostgreSQL's own code for a write where only reading is allowed. */
	readonly code = '25006';
}

/** This error is thrown if none of several hosts can be used. Its message says why, for each of them. */
class NoHostError extends Error {
	override readonly name = 'NoHostError';
	/** The code of the SQL standard for a connection that cannot be made. */
	readonly code = '08001';
}

/** What was found at one of the hosts. */
export interface HostState {
	readonly host: string;
	/** Undefined if it could not be asked. */
	readonly role: ServerRole['role'] | undefined;
	/** Why it could not be asked. */
	readonly problem?: string;
}

/** @param given are the driver's own options, for every connection */
function hostChoice(url: string, given: pg.ClientConfig) {
	const { hosts, mustWrite: isForWriting } = readPostgresUrl(url);
	const areSeveral = hosts.length > 1;
	const options = areSeveral ? { ...given, connectionTimeoutMillis: CONNECT_MS } : given;
	/** The position of the host that is tried first, which is the one that was used last. */
	let first = 0;
	/** The look at a host that is in progress, for all connections that wait for it. */
	const looks = new Map<PostgresHost, Promise<boolean>>();

	const connectTo = async (host: PostgresHost, mustWrite = isForWriting): Promise<HostConnection> => {
		const connection = new HostConnection(host, options);
		try {
			await connection.connect();
			if (mustWrite) await requireWritable(connection);
			return connection;
		} catch (error) {
			connection.end().catch(() => {});
			// The driver gives this error no code.
			if (error instanceof Error && /timeout/.test(error.message)) Object.assign(error, { code: 'ETIMEDOUT' });
			throw error;
		}
	};
	const look = async (host: PostgresHost): Promise<boolean> => {
		try {
			const connection = await connectTo(host);
			connection.end().catch(() => {});
			return false;
		} catch (error) {
			// A server that has no more room for connections still answers those that it has.
			const isGone = isUnavailable(error) && !`${(error as { code?: unknown }).code}`.startsWith('53');
			if (isGone && host === hosts[first]) first = (first + 1) % hosts.length;
			return isGone;
		}
	};
	/** Asks a host whether it can still be used. If it cannot, the next host is tried first from now on. */
	const isGone = (host: PostgresHost): Promise<boolean> => {
		const found = looks.get(host) ?? look(host).finally(() => looks.delete(host));
		looks.set(host, found);
		return found;
	};
	return {
		areSeveral,
		/** The host that is used, or is tried first. */
		get host() {
			return hosts[first];
		},
		isUsable({ isSpent, server }: HostConnection): boolean {
			// After a failover, connections to the host before are not used, even if they have noticed nothing yet.
			return !isSpent && server === hosts[first];
		},
		/**
		 * Connects to the first host that can be used. The one that was used last is tried first.
		 * @throws an error that says why no host can be used
		 */
		async connect(): Promise<HostConnection> {
			const begun = first;
			const failures: { readonly host: PostgresHost; readonly error: Error }[] = [];
			for (let n = 0; n < hosts.length; n++) {
				const at = (begun + n) % hosts.length;
				const host = hosts[at];
				try {
					const connection = await connectTo(host);
					first = at;
					if (areSeveral) connection.endWhenGone(() => isGone(host));
					return connection;
				} catch (error) {
					failures.push({ host, error: error as Error });
				}
			}
			throw summaryOf(failures);
		},
		lookAtAll(): Promise<HostState[]> {
			return Promise.all(
				hosts.map(async (host) => {
					try {
						const connection = await connectTo(host, false);
						const { role } = await readRole(connection).finally(() => connection.end().catch(() => {}));
						return { host: host.name, role };
					} catch (error) {
						return { host: host.name, role: undefined, problem: (error as Error).message };
					}
				}),
			);
		},
	};
}

/** @throws StandbyError if the server of the connection takes no writes */
async function requireWritable(connection: HostConnection): Promise<void> {
	const statement = {
		text: `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`,
		// The limit for connecting is over once the server has let us in.
		query_timeout: CONNECT_MS,
	};
	const { rows } = await connection.query<{ isReadOnly: boolean }>(statement);
	if (rows[0].isReadOnly) throw new StandbyError('a standby, or read-only');
}

function summaryOf(failures: readonly { readonly host: PostgresHost; readonly error: Error }[]): Error {
	// A wrong password or a certificate that is not valid does not go away by waiting, so it is what is told.
	const lasting =
		failures.find(({ error }) => !isUnavailable(error)) ?? (failures.length === 1 ? failures[0] : undefined);
	if (lasting) return lasting.error;
	const each = failures.map(({ host, error }) => `${host.name} (${error.message})`);
	return new NoHostError(`no host of the database takes writes: ${each.join(', ')}`, {
		cause: new AggregateError(failures.map(({ error }) => error)),
	});
}

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

const INT8_OID = 20;
const MOST_CONNECTIONS = 10;
const ACQUIRE_MS = 10_000;

/** Opens a pool of at most `maxConnections` connections. `config` is what knex gets for every database. */
export function openPostgres(
	{ url, maxConnections = MOST_CONNECTIONS }: { readonly url: string; readonly maxConnections?: number },
	config: Knex.Config,
) {
	const parsers = {
		getTypeParser(oid: number, format?: 'text' | 'binary') {
			// Large integers are read as numbers, because ids and times fit into a double exactly (page ids have 48 bits),
			// and strings would surprise callers.
			if (oid === INT8_OID && format !== 'binary') return (text: string) => Number(text);
			return pg.types.getTypeParser(oid, format as 'text');
		},
	};
	const hosts = hostChoice(url, { types: parsers as never });
	const pool = new knexModule.KnexPool<HostConnection>({
		create: () => hosts.connect(),
		destroy: (connection) => connection.end(),
		validate: (connection) => hosts.isUsable(connection),
		min: 0,
		max: maxConnections,
		acquireTimeoutMillis: ACQUIRE_MS,
		// A call fails at once when no host can be used, and does not wait for its turn to fail.
		propagateCreateError: true,
	});
	const knex = knexModule({ ...config, client: 'pg', connectionPool: pool });
	return {
		knex,
		hosts,
		async close(): Promise<void> {
			// The pool first: it waits for the connections in use, which knex could not give back any more without its pool.
			await pool.destroy();
			await knex.destroy();
		},
	};
}
