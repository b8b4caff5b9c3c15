// Makes a database of its own on the Citus cluster for one test, which can part its servers from the coordinator.

import { connect, createServer, type Server, type Socket } from 'node:net';
import type { QueryResultRow } from 'pg';
import { addServers, ask, citusServers, createAlone, dropOnEach, withDatabase } from './citus.ts';
import { CITUS_URL } from './citus-url.ts';
import type { Teardown } from './daemon.ts';
import { freePort } from './free-port.ts';

/** A server with rows, as the coordinator reaches it: through a proxy of the test. */
export interface Worker {
	/** Host and port of the proxy, by which the coordinator knows the server. */
	readonly name: string;
	/** Ends all connections to the server and lets nobody connect, as when the server is stopped. */
	part(): Promise<void>;
	/** Lets everybody connect again. */
	join(): Promise<void>;
	/** Opens another address of the server, such as a standby has that took over from it. */
	standIn(): Promise<Worker>;
}

export interface CitusDatabase {
	/** The address of the database at the coordinator. */
	readonly url: string;
	readonly workers: readonly Worker[];
	/** Tells the coordinator of its workers. Before, the database is as any other. */
	addWorkers(): Promise<void>;
	/** Runs a statement at the coordinator and returns its rows. */
	ask<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
}

/** Makes an empty database whose coordinator knows of no worker yet. It is dropped with the test. */
export async function openCitusDatabase(t: Teardown): Promise<CitusDatabase> {
	const servers = await citusServers(CITUS_URL!);
	const name = `tokendrop_own_${process.pid}_${Date.now().toString(36)}`;
	const opened: Worker[] = [];
	const workers = await Promise.all(servers.slice(1).map((server) => openWorker(server, opened)));
	t.teardown(async () => {
		await dropOnEach(servers, name);
		await Promise.all(opened.map((worker) => worker.part()));
	});
	await createAlone(servers, name);
	const url = withDatabase(servers[0], name);
	const addresses = [servers[0], ...workers.map((worker) => `postgres://${worker.name}`)];
	return { url, workers, addWorkers: () => addServers(url, addresses), ask: (sql) => ask(url, sql) };
}

/** Opens an address of a server, and adds it to `opened`. */
async function openWorker(server: string, opened: Worker[]): Promise<Worker> {
	const { hostname, port } = new URL(server);
	const own = await freePort();
	const sockets = new Set<Socket>();
	let proxy: Server | undefined;
	const keep = (socket: Socket, other: Socket) => {
		sockets.add(socket);
		socket.on('error', () => other.destroy());
		socket.on('close', () => {
			sockets.delete(socket);
			other.destroy();
		});
	};
	const worker: Worker = {
		name: `127.0.0.1:${own}`,
		standIn: () => openWorker(server, opened),
		async part() {
			const ended = new Promise((resolve) => (proxy ? proxy.close(resolve) : resolve(undefined)));
			for (const socket of sockets) socket.destroy();
			await ended;
			proxy = undefined;
		},
		async join() {
			const listening = createServer((from) => {
				const to = connect(Number(port), hostname);
				keep(from, to);
				keep(to, from);
				from.pipe(to).pipe(from);
			});
			await new Promise<void>((resolve) => listening.listen(own, '127.0.0.1', resolve));
			proxy = listening;
		},
	};
	opened.push(worker);
	await worker.join();
	return worker;
}
