// Makes the databases of tests on a Citus cluster, where one is named. A database of Citus is a database of the same name on
// each server, and is copied there as any other.

import pg from 'pg';
import { CITUS_URL } from './citus-url.ts';

/** Returns the address of every server of the cluster, with the coordinator first. */
export async function citusServers(coordinator: string): Promise<string[]> {
	const rows = await ask<{ nodename: string; nodeport: number }>(
		coordinator,
		'select nodename, nodeport from pg_dist_node where groupid <> 0 order by nodeid',
	);
	return [coordinator, ...rows.map(({ nodename, nodeport }) => serverAt(coordinator, nodename, nodeport))];
}

function serverAt(coordinator: string, host: string, port: number): string {
	const url = new URL(coordinator);
	url.host = `${host}:${port}`;
	return url.href;
}

/** Makes an empty database in which the servers know each other, so that migrations spread its tables. */
export async function createOnCitus(servers: readonly string[], name: string): Promise<void> {
	await createAlone(servers, name);
	await addServers(withDatabase(servers[0], name), servers);
}

/** Makes an empty database on each server, in which none knows of the others. */
export async function createAlone(servers: readonly string[], name: string): Promise<void> {
	for (const server of servers) {
		await ask(server, `create database ${name} template template0`);
		await ask(withDatabase(server, name), 'create extension citus');
	}
}

/** Tells the coordinator's database of all servers, whose addresses are given as the coordinator is to reach them. */
export async function addServers(database: string, servers: readonly string[]): Promise<void> {
	const [coordinator, ...workers] = servers.map((server) => {
		const { hostname, port } = new URL(server);
		return `'${hostname}', ${port}`;
	});
	await ask(database, `select citus_set_coordinator_host(${coordinator})`);
	for (const worker of workers) await ask(database, `select citus_add_node(${worker})`);
}

/** Keeps everybody from a database, also Citus itself, so that it can be copied or get another name. */
export async function closeOnCitus(servers: readonly string[], name: string): Promise<void> {
	for (const server of servers) {
		await ask(server, `alter database ${name} with allow_connections false`);
		for (;;) {
			const left = await ask(
				server,
				`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
			);
			if (left.length === 0) break;
		}
	}
}

/** Runs a statement on every server, on the coordinator last. */
export async function onEach(servers: readonly string[], sql: string): Promise<void> {
	for (const server of servers.toReversed()) await ask(server, sql);
}

/**
 * Drops a database on every server by force. Servers of a cluster connect to each other again and again, so first nobody
 * may connect to it on any of them.
 */
export async function dropOnEach(servers: readonly string[], name: string): Promise<void> {
	const there: string[] = [];
	for (const server of servers) {
		if ((await ask(server, `select 1 from pg_database where datname = '${name}'`)).length > 0) there.push(server);
	}
	if (servers.length > 1) await onEach(there, `alter database ${name} with allow_connections false`);
	for (const server of there.toReversed()) await dropOn(server, name);
}

/** The maintenance of Citus begins anew in a database that it was driven out of, so a drop may have to be repeated. */
const DROP_TRIES = 10;
const STILL_USED = '55006';

async function dropOn(server: string, name: string): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			await ask(server, `drop database ${name} with (force)`);
			return;
		} catch (error) {
			if (tries === DROP_TRIES || (error as pg.DatabaseError).code !== STILL_USED) throw error;
		}
	}
}

/** The view of what connections of all servers do, as `pg_stat_activity` has it of one. */
export const ACTIVITY = CITUS_URL === undefined ? 'pg_stat_activity' : 'citus_stat_activity';

/** Runs a statement on a connection of its own, and returns its rows. */
export async function ask<Row extends pg.QueryResultRow>(server: string, sql: string): Promise<Row[]> {
	const client = new pg.Client({ connectionString: server });
	await client.connect();
	try {
		return (await client.query<Row>(sql)).rows;
	} finally {
		await client.end();
	}
}

/** Returns the address of another database of the same server. */
export function withDatabase(server: string, name: string): string {
	const url = new URL(server);
	url.pathname = `/${name}`;
	return url.href;
}
