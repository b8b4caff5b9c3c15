// Makes the databases of tests on a Citus cluster, where `TOKENDROP_TEST_CITUS_URL` names one: the address of its coordinator, as a
// superuser, with a database in which the cluster's servers are registered. A database of Citus is a database of the same
// name on each server, and is copied there as any other.

import pg from 'pg';
import { distribute, findCluster } from '../../src/base/database/citus/distribute.ts';
import type { Database } from '../../src/base/database/open.ts';

/** The address of the coordinator; undefined where tests have no cluster. */
export const CITUS_URL = process.env.TOKENDROP_TEST_CITUS_URL || undefined;

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

/** Makes an empty database in which the servers know each other. */
export async function createOnCitus(servers: readonly string[], name: string): Promise<void> {
	for (const server of servers) {
		await ask(server, `create database ${name} template template0`);
		await ask(withDatabase(server, name), 'create extension citus');
	}
	const [coordinator, ...workers] = servers.map((server) => new URL(server));
	const at = ({ hostname, port }: URL) => `'${hostname}', ${port}`;
	const own = withDatabase(servers[0], name);
	await ask(own, `select citus_set_coordinator_host(${at(coordinator)})`);
	for (const worker of workers) await ask(own, `select citus_add_node(${at(worker)})`);
}

/** Spreads the tables of a database that is to be copied. */
export async function spreadTables(database: Database): Promise<void> {
	const cluster = await findCluster(database.knex);
	await database.knex.transaction((transaction) => distribute(transaction, cluster!));
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

/** The code of PostgreSQL for a database that somebody uses. */
const IN_USE = '55006';

/**
 * Drops a database on every server by force. Servers of a cluster connect to each other again and again, so one may do so in
 * the moment between.
 */
export async function dropOnEach(servers: readonly string[], name: string): Promise<void> {
	for (let tries = 0; ; tries++) {
		try {
			await onEach(servers, `drop database if exists ${name} with (force)`);
			return;
		} catch (error) {
			if ((error as { code?: string }).code !== IN_USE || tries === MOST_TRIES) throw error;
		}
	}
}

const MOST_TRIES = 20;

/** The view of what connections of all servers do, as `pg_stat_activity` has it of one. */
export const ACTIVITY = CITUS_URL === undefined ? 'pg_stat_activity' : 'citus_stat_activity';

async function ask<Row extends pg.QueryResultRow>(server: string, sql: string): Promise<Row[]> {
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
